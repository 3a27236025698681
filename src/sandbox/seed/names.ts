// The names of the seed, none of them real: the merchant's customers, and what it sells.

export interface Person {
  readonly name: string;
  readonly email: string;
  readonly prefix?: string;
  readonly phone?: string;
  readonly city?: readonly [city: string, province: string, postalCode: string];
  readonly metadata?: Readonly<Record<string, string>>;
}

export const PEOPLE: readonly Person[] = [
  {
    name: 'Juan Dela Cruz',
    email: 'juan.delacruz@example.com',
    phone: '+639171234501',
    city: ['Quezon City', 'Metro Manila', '1101'],
  },
  {
    name: 'Peñaflor Trading Corporation',
    email: 'accounts@penaflor.example',
    prefix: 'PENAFLOR',
    city: ['Makati', 'Metro Manila', '1226'],
    metadata: {segment: 'company', 'Account Manager': 'Tess'},
  },
  {
    name: 'Maria Clara Santos',
    email: 'mcsantos@example.com',
    phone: '+639181234502',
    city: ['Pasig', 'Metro Manila', '1600'],
  },
  {name: 'Niño Ibañez', email: 'nino.ibanez@example.com', phone: '+639191234503', city: ['Cebu City', 'Cebu', '6000']},
  {
    name: 'Bayanihan Builders, Inc.',
    email: 'ap@bayanihanbuilders.example',
    prefix: 'BAYANIHAN',
    city: ['Taguig', 'Metro Manila', '1634'],
    metadata: {segment: 'company'},
  },
  {
    name: 'Aling Nena’s Sari-Sari Store',
    email: 'alingnena@example.com',
    phone: '+639201234504',
    city: ['Marikina', 'Metro Manila', '1800'],
  },
  {name: 'José Rizalino Muñoz', email: 'jr.munoz@example.com', city: ['Calamba', 'Laguna', '4027']},
  {
    name: 'Kapeng Barako Roasters',
    email: 'hello@kapengbarako.example',
    prefix: 'BARAKO',
    city: ['Lipa', 'Batangas', '4217'],
    metadata: {segment: 'company', referral: 'Instagram'},
  },
  {
    name: 'Angelica Reyes',
    email: 'angelica.reyes@example.com',
    phone: '+639211234505',
    city: ['Mandaluyong', 'Metro Manila', '1550'],
  },
  {
    name: 'Mindanao Fresh Produce Co-op',
    email: 'finance@mindanaofresh.example',
    prefix: 'MFPC',
    city: ['Davao City', 'Davao del Sur', '8000'],
    metadata: {segment: 'cooperative'},
  },
  {name: 'Ramón Quiñones', email: 'ramon.quinones@example.com', city: ['Iloilo City', 'Iloilo', '5000']},
  {
    name: 'Ligaya Bautista',
    email: 'ligaya.bautista@example.com',
    phone: '+639221234506',
    city: ['Baguio', 'Benguet', '2600'],
  },
  {
    name: 'Isla Verde Dive Resort',
    email: 'bookings@islaverde.example',
    prefix: 'ISLAVERDE',
    city: ['Puerto Galera', 'Oriental Mindoro', '5203'],
    metadata: {segment: 'company'},
  },
  {name: 'Christian Paul Mendoza', email: 'cp.mendoza@example.com', city: ['Las Piñas', 'Metro Manila', '1740']},
  {
    name: 'Tindahan ni Kuya Boyet',
    email: 'kuyaboyet@example.com',
    phone: '+639231234507',
    city: ['Dasmariñas', 'Cavite', '4114'],
  },
  {
    name: 'Pacífico Zuñiga & Sons',
    email: 'office@zuniga.example',
    prefix: 'ZUNIGA',
    city: ['Manila', 'Metro Manila', '1006'],
    metadata: {segment: 'company'},
  },
  {
    name: 'Grace Anne Villanueva',
    email: 'graceanne.v@example.com',
    phone: '+639241234508',
    city: ['Angeles', 'Pampanga', '2009'],
  },
  {
    name: 'Lakbay Travel & Tours',
    email: 'billing@lakbay.example',
    prefix: 'LAKBAY',
    city: ['Pasay', 'Metro Manila', '1300'],
    metadata: {segment: 'company'},
  },
  {
    name: 'Emmanuel “Manny” Castañeda',
    email: 'manny.castaneda@example.com',
    city: ['General Santos', 'South Cotabato', '9500'],
  },
  {
    name: 'Sampaguita Dental Clinic',
    email: 'frontdesk@sampaguitadental.example',
    prefix: 'SAMPAGUITA',
    phone: '+63285551234',
    city: ['San Juan', 'Metro Manila', '1500'],
  },
  {name: 'Rosario Aquino', email: 'rosario.aquino@example.com', city: ['Tarlac City', 'Tarlac', '2300']},
  {
    name: 'Jeepney Brewing Company',
    email: 'accounting@jeepneybrew.example',
    prefix: 'JEEPNEY',
    city: ['Parañaque', 'Metro Manila', '1700'],
    metadata: {segment: 'company', referral: 'Juan Dela Cruz'},
  },
  {
    name: 'Divina Gracia Ocampo',
    email: 'dg.ocampo@example.com',
    phone: '+639251234509',
    city: ['Bacolod', 'Negros Occidental', '6100'],
  },
  {
    name: 'Mabuhay Learning Center',
    email: 'registrar@mabuhaylearning.example',
    prefix: 'MABUHAY',
    city: ['Antipolo', 'Rizal', '1870'],
    metadata: {segment: 'school'},
  },
  {
    name: 'Ma. Corazon Nuñez-Go',
    email: 'cory.nunezgo@example.com',
    city: ['Zamboanga City', 'Zamboanga del Sur', '7000'],
  },
];

export interface Offer {
  readonly description: string;
  readonly pesos: readonly [low: number, high: number];
  readonly most: number;
}

export const OFFERS: readonly Offer[] = [
  {description: 'Website design', pesos: [18_000, 65_000], most: 1},
  {description: 'Website maintenance, monthly', pesos: [2_500, 6_000], most: 3},
  {description: 'Domain name and hosting, one year', pesos: [3_200, 4_800], most: 1},
  {description: 'Logo design', pesos: [6_000, 15_000], most: 1},
  {description: 'Social media kit', pesos: [4_500, 9_000], most: 1},
  {description: 'Product photography, per item', pesos: [250, 600], most: 40},
  {description: 'Menu layout', pesos: [1_500, 3_500], most: 4},
  {description: 'Tarpaulin print, 4 × 8 ft', pesos: [450, 900], most: 6},
  {description: 'Business cards, box of 100', pesos: [350, 750], most: 10},
  {description: 'Flyers, A5, 500 pieces', pesos: [2_200, 3_800], most: 3},
  {description: 'Copywriting in English and Filipino, per page', pesos: [800, 1_600], most: 8},
  {description: 'Consultation, per hour', pesos: [900, 1_500], most: 5},
  {description: 'Wedding invitation suite, set of 50', pesos: [5_500, 12_000], most: 2},
  {description: 'Delivery, Metro Manila', pesos: [120, 280], most: 1},
];

/** Things sold on the checkout page. */
export const GOODS: readonly Offer[] = [
  {description: 'Baybayin calligraphy print', pesos: [450, 950], most: 3},
  {description: 'Jeepney art tote bag', pesos: [380, 520], most: 4},
  {description: 'Desk calendar, Philippine holidays', pesos: [250, 350], most: 10},
  {description: 'Sticker pack: Pinoy merienda', pesos: [120, 180], most: 6},
  {description: 'Workshop seat: lettering for beginners', pesos: [1_500, 2_200], most: 2},
];

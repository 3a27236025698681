// Invented names for the seed: customers and items.

export interface SeedPerson {
  readonly name: string;
  readonly email: string;
  readonly prefix?: string;
  readonly phone?: string;
  readonly city: readonly [city: string, province: string, postalCode: string];
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Columns: name, email address, prefix of statement numbers, phone number, address, metadata. */
const CUSTOMERS = `
Juan Dela Cruz               | juan.delacruz@example.com          |            | +639171234501 | Quezon City, Metro Manila, 1101         |
Peñaflor Trading Corporation | accounts@penaflor.example          | PENAFLOR   |               | Makati, Metro Manila, 1226              | segment=company, Account Manager=Tess
Maria Clara Santos           | mcsantos@example.com               |            | +639181234502 | Pasig, Metro Manila, 1600               |
Niño Ibañez                  | nino.ibanez@example.com            |            | +639191234503 | Cebu City, Cebu, 6000                   |
Bayanihan Builders, Inc.     | ap@bayanihanbuilders.example       | BAYANIHAN  |               | Taguig, Metro Manila, 1634              | segment=company
Aling Nena’s Sari-Sari Store | alingnena@example.com              |            | +639201234504 | Marikina, Metro Manila, 1800            |
José Rizalino Muñoz          | jr.munoz@example.com               |            |               | Calamba, Laguna, 4027                   |
Kapeng Barako Roasters       | hello@kapengbarako.example         | BARAKO     |               | Lipa, Batangas, 4217                    | segment=company, referral=Instagram
Angelica Reyes               | angelica.reyes@example.com         |            | +639211234505 | Mandaluyong, Metro Manila, 1550         |
Mindanao Fresh Produce Co-op | finance@mindanaofresh.example      | MFPC       |               | Davao City, Davao del Sur, 8000         | segment=cooperative
Ramón Quiñones               | ramon.quinones@example.com         |            |               | Iloilo City, Iloilo, 5000               |
Ligaya Bautista              | ligaya.bautista@example.com        |            | +639221234506 | Baguio, Benguet, 2600                   |
Isla Verde Dive Resort       | bookings@islaverde.example         | ISLAVERDE  |               | Puerto Galera, Oriental Mindoro, 5203   | segment=company
Christian Paul Mendoza       | cp.mendoza@example.com             |            |               | Las Piñas, Metro Manila, 1740           |
Tindahan ni Kuya Boyet       | kuyaboyet@example.com              |            | +639231234507 | Dasmariñas, Cavite, 4114                |
Pacífico Zuñiga & Sons       | office@zuniga.example              | ZUNIGA     |               | Manila, Metro Manila, 1006              | segment=company
Grace Anne Villanueva        | graceanne.v@example.com            |            | +639241234508 | Angeles, Pampanga, 2009                 |
Lakbay Travel & Tours        | billing@lakbay.example             | LAKBAY     |               | Pasay, Metro Manila, 1300               | segment=company
Emmanuel “Manny” Castañeda   | manny.castaneda@example.com        |            |               | General Santos, South Cotabato, 9500    |
Sampaguita Dental Clinic     | frontdesk@sampaguitadental.example | SAMPAGUITA | +63285551234  | San Juan, Metro Manila, 1500            |
Rosario Aquino               | rosario.aquino@example.com         |            |               | Tarlac City, Tarlac, 2300               |
Jeepney Brewing Company      | accounting@jeepneybrew.example     | JEEPNEY    |               | Parañaque, Metro Manila, 1700           | segment=company, referral=Juan Dela Cruz
Divina Gracia Ocampo         | dg.ocampo@example.com              |            | +639251234509 | Bacolod, Negros Occidental, 6100        |
Mabuhay Learning Center      | registrar@mabuhaylearning.example  | MABUHAY    |               | Antipolo, Rizal, 1870                   | segment=school
Ma. Corazon Nuñez-Go         | cory.nunezgo@example.com           |            |               | Zamboanga City, Zamboanga del Sur, 7000 |
`;

const nonEmptyText = (text = ''): string | undefined => text || undefined;

export const PEOPLE: readonly SeedPerson[] = CUSTOMERS.trim()
  .split('\n')
  .map((line): SeedPerson => {
    const [name = '', email = '', prefix, phone, address = '', metadata] = line.split('|').map((cell) => cell.trim());
    return {
      name,
      email,
      prefix: nonEmptyText(prefix),
      phone: nonEmptyText(phone),
      city: address.split(', ') as [string, string, string],
      metadata: nonEmptyText(metadata)
        ? Object.fromEntries(metadata!.split(', ').map((pair) => pair.split('=')))
        : undefined,
    };
  });

export interface SeedOffer {
  readonly description: string;
  readonly pesos: readonly [low: number, high: number];
  readonly maxQuantity: number;
}

export const OFFERS: readonly SeedOffer[] = [
  {description: 'Website design', pesos: [18_000, 65_000], maxQuantity: 1},
  {description: 'Website maintenance, monthly', pesos: [2_500, 6_000], maxQuantity: 3},
  {description: 'Domain name and hosting, one year', pesos: [3_200, 4_800], maxQuantity: 1},
  {description: 'Logo design', pesos: [6_000, 15_000], maxQuantity: 1},
  {description: 'Social media kit', pesos: [4_500, 9_000], maxQuantity: 1},
  {description: 'Product photography, per item', pesos: [250, 600], maxQuantity: 40},
  {description: 'Menu layout', pesos: [1_500, 3_500], maxQuantity: 4},
  {description: 'Tarpaulin print, 4 × 8 ft', pesos: [450, 900], maxQuantity: 6},
  {description: 'Business cards, box of 100', pesos: [350, 750], maxQuantity: 10},
  {description: 'Flyers, A5, 500 pieces', pesos: [2_200, 3_800], maxQuantity: 3},
  {description: 'Copywriting in English and Filipino, per page', pesos: [800, 1_600], maxQuantity: 8},
  {description: 'Consultation, per hour', pesos: [900, 1_500], maxQuantity: 5},
  {description: 'Wedding invitation suite, set of 50', pesos: [5_500, 12_000], maxQuantity: 2},
  {description: 'Delivery, Metro Manila', pesos: [120, 280], maxQuantity: 1},
];

/** Sold in checkout sessions. */
export const GOODS: readonly SeedOffer[] = [
  {description: 'Baybayin calligraphy print', pesos: [450, 950], maxQuantity: 3},
  {description: 'Jeepney art tote bag', pesos: [380, 520], maxQuantity: 4},
  {description: 'Desk calendar, Philippine holidays', pesos: [250, 350], maxQuantity: 10},
  {description: 'Sticker pack: Pinoy merienda', pesos: [120, 180], maxQuantity: 6},
  {description: 'Workshop seat: lettering for beginners', pesos: [1_500, 2_200], maxQuantity: 2},
];

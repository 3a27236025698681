// What the merchant, a studio for web and print, sells: names with prices in whole pesos.

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

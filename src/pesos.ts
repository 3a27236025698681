// Centavos written as pesos, exact however many; no amount passes through a floating-point number.

/** `₱1,250.50` of 125050 centavos; what is no whole number of them stays the number it is. */
export function formatPesos(centavos: bigint | number): string {
  if (typeof centavos === 'number' && !Number.isSafeInteger(centavos)) return String(centavos);
  const digits = String(centavos < 0 ? -centavos : centavos).padStart(3, '0');
  const pesos = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',');
  return `${centavos < 0 ? '-' : ''}₱${pesos}.${digits.slice(-2)}`;
}

/** `1250.50` of 125050 centavos: a number for spreadsheets and for commands. */
export const decimalPesos = (centavos: bigint | number): string => formatPesos(centavos).replace(/[₱,]/g, '');

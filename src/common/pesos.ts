// Formats centavos as pesos, without floating-point numbers.

/** `₱1,250.50` for 125050 centavos. A number that is not a safe integer is returned as text, unchanged. */
export function formatPesos(centavos: bigint | number): string {
  if (typeof centavos === 'number' && !Number.isSafeInteger(centavos)) return String(centavos);
  const digits = String(centavos < 0 ? -centavos : centavos).padStart(3, '0');
  const pesos = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',');
  return `${centavos < 0 ? '-' : ''}₱${pesos}.${digits.slice(-2)}`;
}

/** `1250.50` for 125050 centavos, as spreadsheets and commands read it. */
export const decimalPesos = (centavos: bigint | number): string => formatPesos(centavos).replace(/[₱,]/g, '');

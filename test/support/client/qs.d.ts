// The part of qs that is used; the package brings no types.
declare module 'qs' {
  export function stringify(value: unknown, options?: {arrayFormat?: 'brackets'}): string;
  const qs: {stringify: typeof stringify};
  export default qs;
}

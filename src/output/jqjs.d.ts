// The part of jqjs that is used; the package brings no types.
declare module '@michaelhomer/jqjs' {
  export function compile(program: string): (input: unknown) => Iterable<unknown>;
}

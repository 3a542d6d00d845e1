/** How far a search goes: at night, when CLAVIGER_NIGHTLY is set, the whole way; else as far as one waits for a change. */
export const searched = <Size>({
  short,
  nightly,
}: {
  readonly short: Size
  readonly nightly: Size
}): Size => (process.env['CLAVIGER_NIGHTLY'] ? nightly : short)

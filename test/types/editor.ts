/** What an editor shows when a name is pointed at. */
export interface QuickInfo {
  /** The kind, the name and the type. */
  readonly signature: string
  readonly documentation: string
}

/** What a compiler says is wrong. */
export interface Objection {
  /** Counted from 1. */
  readonly line: number
  /** The text that is underlined. */
  readonly at: string
  readonly message: string
}

/** A version of TypeScript as editors ask it: of a host's program, which may import the package. */
export interface Editor {
  /** Of the name that begins at each of `positions`. */
  quickInfo(source: string, positions: readonly number[]): Promise<readonly QuickInfo[]>
  objections(source: string): Promise<readonly Objection[]>
  close(): Promise<void>
}

/** An append that no store may record: a mistake of the program, not of its users. */
export class InvalidAppend extends Error {
  override readonly name = 'InvalidAppend'

  /** What is wrong with the append, as a path within it: `writes[0].stream`. */
  readonly field: string

  constructor(field: string, objection: string) {
    super(`${field} ${objection}`)
    this.field = field
  }
}

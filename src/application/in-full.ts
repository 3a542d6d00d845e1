/** All fields of `Given`, for what replaces everything: a field that is left out would be emptied. */
export type InFull<Given> = {
  readonly [Field in keyof Given]-?: Exclude<Given[Field], undefined>
}

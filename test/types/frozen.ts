/** `Type` as nobody may change it, all the way down: what is left to differ is keys and values. */
export type Frozen<Type> = Type extends Date
  ? Type
  : { readonly [Key in keyof Type]: Frozen<Type[Key]> }

/** `Type` with every field there. */
export type InFull<Type> = { readonly [Key in keyof Type]-?: Exclude<Type[Key], undefined> }

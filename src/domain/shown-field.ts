/** A field of a view: what it holds, whether lists can be filtered and sorted by it, how it is read. */
export type ShownField<View> =
  | {
      readonly holds: 'string'
      readonly filterable: boolean
      readonly sortable: true
      of(view: View): string
    }
  | {
      readonly holds: 'boolean'
      readonly filterable: false
      readonly sortable: true
      of(view: View): boolean
    }
  | { readonly holds: 'list'; readonly filterable: false; readonly sortable: false }

/** A field with text that lists can be filtered and sorted by. */
export const filterableText = <View>(of: (view: View) => string) =>
  ({ holds: 'string', filterable: true, sortable: true, of }) as const

/** A field with text that lists can only be sorted by. */
export const sortableText = <View>(of: (view: View) => string) =>
  ({ holds: 'string', filterable: false, sortable: true, of }) as const

/** A field with true or false, which lists can only be sorted by. */
export const sortableFlag = <View>(of: (view: View) => boolean) =>
  ({ holds: 'boolean', filterable: false, sortable: true, of }) as const

/** A field with several values. */
export const plainList = { holds: 'list', filterable: false, sortable: false } as const

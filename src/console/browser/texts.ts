import type { ComponentChildren } from 'preact'
import { ENGLISH, type Messages, type Plural, type Texts } from './english.js'
import { settings } from './settings.js'

const withMessages = (messages: Messages = {}): Texts => {
  const merged = Object.entries(ENGLISH).map(([name, text]) => {
    const own = Object.entries(messages).find(([each]) => each === name)?.[1]
    const isMap = typeof text === 'object' && typeof own === 'object'
    return [name, isMap ? { ...text, ...own } : (own ?? text)]
  })
  return Object.fromEntries(merged)
}

/** The texts in the language of the page. */
export const texts: Texts = withMessages(settings.messages)

/** A text with its values filled in. */
export const say = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole))

/** A text in which elements stand for its values. */
export const Say = ({
  text,
  ...values
}: {
  readonly text: string
  readonly [name: string]: ComponentChildren
}) => text.split(/\{(\w+)\}/).map((part, at) => (at % 2 === 0 ? part : values[part]))

const rules = new Intl.PluralRules(settings.language)

/** A text about a number of things. */
export const sayCount = (forms: Plural, count: number): string =>
  say(forms[rules.select(count)] ?? forms.other, { count: count.toLocaleString(settings.language) })

/** Name of a field for readers. */
export const fieldName = (field: string): string =>
  Object.hasOwn(texts.fields, field) ? (texts.fields[field] ?? field) : field

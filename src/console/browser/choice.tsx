import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { mount } from './api.js'
import { settings } from './settings.js'
import { texts } from './texts.js'

interface ChoiceProps {
  /** Shown before the control. */
  readonly text?: string
  /** Accessible name, where no text is shown. */
  readonly label?: string
  readonly value: string | number
  readonly options: readonly {
    readonly value: string | number
    readonly name: string | undefined
  }[]
  readonly change: (value: string) => void
}

/** Chooses one of a few options. */
export const Choice = ({ text, label, value, options, change }: ChoiceProps) => {
  const id = useId()
  const control = (
    <select
      id={id}
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value} selected={option.value === value}>
          {option.name}
        </option>
      ))}
    </select>
  )
  return <Labelled {...{ text, id }}>{control}</Labelled>
}

/** Chooses the language of the pages, for this browser. */
export const LanguageChoice = () => {
  const { language, languages } = settings
  if (languages.length < 2) return null
  const name = (tag: string) => new Intl.DisplayNames([tag], { type: 'language' }).of(tag)
  const choose = (tag: string) => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs a secure context
    document.cookie = `claviger-language=${tag}; path=${mount.pathname}; max-age=31536000; samesite=lax`
    location.reload()
  }
  return (
    <Choice
      text={texts.language}
      value={language}
      options={languages.map((value) => ({ value, name: name(value) }))}
      change={choose}
    />
  )
}

interface SearchFieldProps {
  readonly text?: string
  readonly label?: string
  readonly value: string
  readonly change: (value: string) => void
  /** Whether it waits until the field is left. */
  readonly isLazy?: boolean
}

/** Takes a text that something is found by. */
export const SearchField = ({ text, label, value, change, isLazy = false }: SearchFieldProps) => {
  const take = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
    change(currentTarget.value)
  const id = useId()
  return (
    <Labelled {...{ text, id }}>
      <input
        id={id}
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={200}
        dir="auto"
        value={value}
        {...(isLazy ? { onChange: take } : { onInput: take })}
      />
    </Labelled>
  )
}

interface LabelledProps {
  readonly text: string | undefined
  readonly id: string
  readonly children: ComponentChildren
}

const Labelled = ({ text, id, children }: LabelledProps) =>
  text ? (
    <label for={id}>
      {text} {children}
    </label>
  ) : (
    children
  )

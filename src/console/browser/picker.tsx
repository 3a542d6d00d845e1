import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { say, sayCount, texts } from './texts.js'

/** Something that can be picked. */
export interface Option {
  readonly id: string
  readonly name: string
  /** Shown next to the name: an id, an address. */
  readonly detail?: string | undefined
}

interface PickerProps<Picked extends Option> {
  readonly label: string
  readonly chosen: readonly Picked[]
  readonly change: (chosen: readonly Picked[]) => void
  /** Options by a part of their names; those to begin with for an empty text. */
  readonly find: (text: string) => Promise<readonly Picked[]>
  /** Whether several may be picked. */
  readonly isMultiple?: boolean
  readonly hint?: string | undefined
  /** The error of the chosen option. */
  readonly error?: string | undefined
  /** Whether the only option needs no choice. */
  readonly picksOnly?: boolean
  /** Handles a text that is not an option: returns the chosen option, or what is wrong with the text. */
  readonly take?: (text: string) => Promise<Picked | string>
}

/** What was found for a text. */
interface Found<Picked extends Option> {
  readonly text: string
  readonly options: readonly Picked[]
}

const TYPING_MS = 150
/** With so many options there may be more. */
const MANY = 20

/** How far a key moves in the list. The first and the last follow each other. */
const MOVES: Readonly<Record<string, number>> = {
  ...{ ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -1000, End: 1000 },
}

/**
 * A field to pick options by typing a part of a name. Picked options are shown in front of it, each with a button to
 * remove it.
 */
export const Picker = <Picked extends Option>(props: PickerProps<Picked>) => {
  const { label, chosen, change, find, isMultiple = false, hint, take } = props
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [found, setFound] = useState<Found<Picked> | undefined>()
  const [active, setActive] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const [wrong, setWrong] = useState('')
  const error = wrong || props.error
  const isLeft = (option: Picked) => !chosen.some((each) => each.id === option.id)
  // Options for another text must not be picked.
  const options = found?.text === text ? found.options : undefined
  const visible = options?.filter(isLeft) ?? []

  useEffect(() => {
    if (props.picksOnly && chosen.length === 0)
      void find('').then((all) => all.length === 1 && change(all))
  }, [])

  useEffect(() => {
    if (!isOpen) return
    let isLate = false
    const timer = setTimeout(
      async () => {
        const options = await find(text.trim())
        if (isLate) return
        setFound({ text, options })
        setActive(0)
      },
      text ? TYPING_MS : 0,
    )
    return () => {
      isLate = true
      clearTimeout(timer)
    }
  }, [text, isOpen])

  useLayoutEffect(() => {
    if (isOpen) document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [active, isOpen])

  const pick = (option: Picked) => {
    change(isMultiple ? [...chosen, option] : [option])
    setText('')
    setFound(undefined)
    setWrong('')
    setOpen(false)
  }
  const remove = (option: Picked) => {
    change(chosen.filter((each) => each.id !== option.id))
    input.current?.focus()
  }
  const takeText = async () => {
    const taken = take ? await take(text.trim()) : texts.noMatch
    if (typeof taken === 'string') setWrong(taken)
    else pick(taken)
  }
  /** Picks the active option, even before the list is shown. */
  const enter = async () => {
    const option = options ? visible[active] : (await find(text.trim())).find(isLeft)
    if (option) pick(option)
    else if (text.trim() !== '') await takeText()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const move = MOVES[event.key]
    const isInText = (event.key === 'Home' || event.key === 'End') && text !== ''
    if (move && !isInText) {
      event.preventDefault()
      const last = visible.length - 1
      const isPastEnd = move === 1 ? active === last : move === -1 && active === 0
      if (!isOpen) setOpen(true)
      else if (isPastEnd) setActive(move === 1 ? 0 : last)
      else setActive(Math.max(0, Math.min(last, active + move)))
    } else if (event.key === 'Enter') {
      if (!isOpen && text.trim() === '') return
      event.preventDefault()
      void enter()
    } else if (event.key === 'Escape' && isOpen) {
      // Closes the list, and not the dialog around it.
      event.preventDefault()
      event.stopPropagation()
      setOpen(false)
    } else if (event.key === 'Backspace' && text === '' && chosen.length > 0)
      change(chosen.slice(0, -1))
  }
  const isListed = isOpen && visible.length > 0
  return (
    <div class="field picker">
      <label for={id}>{label}</label>
      {chosen.length > 0 && (
        <ul class="chips" aria-label={label}>
          {chosen.map((option) => (
            <li key={option.id}>
              <OptionName option={option} />
              <button
                type="button"
                aria-label={say(texts.removeThis, { name: option.name })}
                onClick={() => remove(option)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="combo">
        <input
          ref={input}
          id={id}
          type="text"
          role="combobox"
          autocomplete="off"
          dir="auto"
          maxLength={200}
          value={text}
          aria-expanded={isListed}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isListed ? `${id}-${active}` : undefined}
          aria-describedby={`${id}-hint ${id}-error`}
          aria-invalid={Boolean(error)}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value)
            setOpen(true)
            setWrong('')
          }}
          onFocus={() => setOpen(chosen.length === 0 || isMultiple)}
          onBlur={() => {
            setOpen(false)
            if (text.trim() !== '') void takeText()
          }}
          onKeyDown={onKeyDown}
        />
        <div id={`${id}-list`} class="options" role="listbox" aria-label={label} hidden={!isListed}>
          {visible.map((option, at) => (
            <div
              key={option.id}
              id={`${id}-${at}`}
              role="option"
              tabIndex={-1}
              aria-selected={at === active}
              // Before the field loses the focus, which would close the list.
              onMouseDown={(event) => {
                event.preventDefault()
                pick(option)
              }}
            >
              <OptionName option={option} />
            </div>
          ))}
        </div>
      </div>
      <p class="none" id={`${id}-hint`} role="status">
        {isOpen && options && text !== '' && (visible.length > 0 || !take)
          ? visible.length > 0
            ? `${sayCount(texts.found, visible.length)} ${visible.length >= MANY ? texts.typeMore : ''}`
            : texts.noMatch
          : hint}
      </p>
      <p class="error" id={`${id}-error`} aria-live="polite">
        {error}
      </p>
    </div>
  )
}

const OptionName = ({ option: { name, detail } }: { readonly option: Option }) => (
  <span>
    <bdi>{name}</bdi>
    {detail && detail !== name && (
      <>
        {' '}
        <bdi class="id">{detail}</bdi>
      </>
    )}
  </span>
)

import { useState } from 'preact/hooks'
import { AddButton, type Adding } from '../forms/add-button.js'
import { html } from '../parts/html.js'
import { List, type ListProps } from './list.js'

interface SectionProps {
  readonly list: Omit<ListProps, 'round'>
  readonly add?: Adding
  /** Title of the page, where the list is all that it has. */
  readonly title?: string
}

/** A list, with a button for a new object. */
export const Section = ({ list, add, title }: SectionProps) => {
  const [round, setRound] = useState(0)
  const done = () => setRound((last) => last + 1)
  return html`<section>
    <header>${title ? html`<h1>${title}</h1>` : html`<h2>${list.label}</h2>`}${add && html`<${AddButton} kind=${list.kind} ...${add} done=${done} />`}</header>
    <${List} ...${list} round=${round} />
  </section>`
}

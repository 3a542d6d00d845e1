import { parameter, setParameters } from '../state/router.js'
import { html } from './html.js'

const local = (at: string): string => {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const instant = (text: string): string => (text ? new Date(text).toISOString() : '')

/** A time in the zone of the reader, which the URL has in UTC. */
export const TimeField = ({ name, label }: { readonly name: string; readonly label: string }) => {
  const onChange = (event: Event) =>
    setParameters({ [name]: instant((event.target as HTMLInputElement).value) })
  return html`<label>${label} <input type="datetime-local" value=${local(parameter(name))} onChange=${onChange} /></label>`
}

import { type Json, withQuery } from '../state/api.js'
import { useLoad } from '../state/load.js'
import { setParameters } from '../state/router.js'
import { texts } from '../texts.js'
import { html } from './html.js'
import { Time } from './values.js'

interface AsOfProps {
  /** Where the interface has the history of the object. */
  readonly path: string
  /** Position of the change that is shown; empty for now. */
  readonly at: string
}

/** Chooses one of the changes of an object, to show it as it was right after. */
export const AsOf = ({ path, at }: AsOfProps) => {
  const { answer } = useLoad(withQuery(path, { page_size: '1000', order: 'desc' }))
  const entries = [...((answer?.body['entries'] ?? []) as readonly Json[])].reverse()
  if (entries.length < 2) return null
  const last = entries.length - 1
  const found = entries.findIndex(({ sequence }) => sequence === at)
  const index = at ? Math.max(0, found) : last
  const onInput = (event: Event) => {
    const chosen = Number((event.target as HTMLInputElement).value)
    setParameters({ at: chosen === last ? '' : String(entries[chosen]?.['sequence']) })
  }
  const back = () => setParameters({ at: '' })
  return html`<div class="as-of"><label for="as-of">${texts.asOf}</label>
    <input id="as-of" type="range" min="0" max=${last} step="1" value=${index} onInput=${onInput} title=${texts.asOfHint} />
    <span>${
      at
        ? html`<${Time} at=${entries[index]?.['time']} /> <button type="button" onClick=${back}>${texts.backToNow}</button>`
        : texts.asOfNow
    }</span>
  </div>`
}

import { useState } from 'preact/hooks'
import { RefLink } from '../lists/links.js'
import { html } from '../parts/html.js'
import { FailureNotice } from '../parts/notice.js'
import { Changes } from '../parts/values.js'
import { call, type Failure, type Json } from '../state/api.js'
import { texts } from '../texts.js'

const EXAMPLE = `{
  "projects": [
    { "id": "portal", "name": "Portal", "roles": [{ "roleKey": "editor", "displayName": "Editor" }] }
  ]
}`

interface Result {
  readonly body: Json
  readonly isApplied: boolean
  /** What was planned or applied. */
  readonly text: string
}

/** Shows what a desired state would change, then applies it. Nothing of it is kept in the browser or in a URL. */
export const Plan = () => {
  const [text, setText] = useState('')
  const [failure, setFailure] = useState<Failure | undefined>()
  const [wrong, setWrong] = useState(false)
  const [result, setResult] = useState<Result | undefined>()
  const run = async (isApplied: boolean) => {
    const desired = parsed(text)
    setWrong(desired === undefined)
    setFailure(undefined)
    setResult(undefined)
    if (desired === undefined) return
    const outcome = await call({
      method: 'POST',
      path: '/v1/access:apply',
      body: { ...desired, validateOnly: !isApplied },
    })
    if ('ok' in outcome) setResult({ body: outcome.ok.body, isApplied, text })
    else setFailure(outcome.failure)
  }
  const onInput = (event: Event) => setText((event.target as HTMLTextAreaElement).value)
  const onFile = async (event: Event) =>
    setText((await (event.target as HTMLInputElement).files?.[0]?.text()) ?? '')
  // A plan of another text is none: what is applied is what was shown.
  const shown = result?.text === text ? result : undefined
  const canApply = shown && !shown.isApplied && changesOf(shown.body).length > 0
  return html`<article><h1>${texts.plan}</h1><p>${texts.planAbout}</p>
    <div class="field"><label for="desired">${texts.desired}</label><textarea id="desired" rows="12" spellcheck="false" placeholder=${EXAMPLE} value=${text} onInput=${onInput} aria-invalid=${wrong} aria-describedby="desired-error"></textarea>
      <p class="error" id="desired-error">${wrong && texts.notJson}</p></div>
    <div class="field"><label for="file">${texts.file}</label><input id="file" type="file" accept=".json,application/json" onChange=${onFile} /></div>
    <div class="actions start"><button type="button" class="primary" onClick=${() => void run(false)}>${texts.planPreview}</button>
      ${canApply && html`<button type="button" onClick=${() => void run(true)}>${texts.apply}</button>`}</div>
    ${failure && html`<${FailureNotice} failure=${failure} />`}
    <div role="status">${shown && html`<${Outcome} ...${shown} />`}</div></article>`
}

const listOf = (value: unknown): readonly Json[] => (value ?? []) as readonly Json[]

const changesOf = (body: Json): readonly Json[] =>
  listOf(body['changes']).filter(({ action }) => action !== 'unchanged')

/** What a desired state changes, or has changed. */
const Outcome = ({ body, isApplied }: Result) => {
  const counts = Object.entries((body['counts'] ?? {}) as Json).filter(([, count]) => count)
  const changes = changesOf(body)
  const undeclared = listOf(body['undeclared'])
  return html`${isApplied && html`<p class="notice">${texts.applied}</p>`}
    <p class="badges">${counts.map(
      ([action, count]) =>
        html`<span key=${action} class=${`badge ${action}`}>${texts.actionCount(texts.actions[action] ?? action, Number(count))}</span>`,
    )}</p>
    ${changes.length === 0 && html`<p class="empty">${texts.planNothing}</p>`}
    <ol class="timeline">${changes.map((change) => html`<${Change} change=${change} />`)}</ol>
    ${
      undeclared.length > 0 &&
      html`<details>
        <summary>${texts.undeclared(undeclared.length)}</summary>
        <ul>${undeclared.map((object) => html`<li><${Named} object=${object} /></li>`)}</ul>
      </details>`
    }`
}

const REASONS: Readonly<Record<string, string>> = {
  blocked: texts.blocked,
  superseded: texts.superseded,
}

const Change = ({ change }: { readonly change: Json }) => {
  const action = String(change['action'])
  return html`<li>
    <p><span class=${`badge ${action}`}>${texts.actions[action] ?? action}</span> <${Named} object=${change['object']} /></p>
    ${REASONS[action] && html`<p>${REASONS[action]}</p>`}
    <${Changes} changes=${change['fields'] ?? []} />
  </li>`
}

const Named = ({ object }: { readonly object: Json }) =>
  html`${texts.kinds[String(object['type'])]} <${RefLink} object=${object} />`

const parsed = (text: string): Json | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Json)
      : undefined
  } catch {
    return undefined
  }
}

import { useState } from 'preact/hooks'
import { html } from '../parts/html.js'
import { FailureNotice } from '../parts/notice.js'
import { call, type Json, type Outcome } from '../state/api.js'
import { texts } from '../texts.js'

/** Asks a provider what it offers, and shows what was found. */
export const ProviderTest = ({ ids }: { readonly ids: Json }) => {
  const [outcome, setOutcome] = useState<Outcome | undefined>()
  const [isBusy, setBusy] = useState(false)
  const test = async () => {
    setBusy(true)
    const path = `/v1/idps/${encodeURIComponent(String(ids['idpId']))}:test`
    setOutcome(await call({ method: 'POST', path }))
    setBusy(false)
  }
  return html`<section>
    <h2>${texts.test}</h2>
    <p>${texts.testAbout} <button type="button" disabled=${isBusy} onClick=${test}>${isBusy ? texts.testing : texts.runTest}</button></p>
    <div role="status">${outcome && html`<${Findings} outcome=${outcome} />`}</div>
  </section>`
}

const Findings = ({ outcome }: { readonly outcome: Outcome }) => {
  if ('failure' in outcome)
    return outcome.failure.reason === 'NOT_CONFIGURED'
      ? html`<p class="notice">${texts.testNotSetUp}</p>`
      : html`<${FailureNotice} failure=${outcome.failure} />`
  const checks = (outcome.ok.body['checks'] ?? []) as readonly Json[]
  return html`<ul class="checks">
    ${checks.map(
      ({ name, verdict, message }) => html`<li key=${name}>
        <span class=${`badge ${verdict}`}>${texts.verdicts[String(verdict)] ?? verdict}</span>
        <span>${String(message)}</span>
      </li>`,
    )}
  </ul>`
}

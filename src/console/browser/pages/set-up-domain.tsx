import { useState } from 'preact/hooks'
import { domainService } from '../../../transport/wire.js'
import type { StoredObject } from '../api.js'
import { Button, CopyButton } from '../button.js'
import { TextField } from '../form.js'
import { FailureNotice } from '../notice.js'
import { say, texts } from '../texts.js'
import { useWrite } from '../write.js'

interface DomainStepProps {
  readonly domains: readonly StoredObject[]
  readonly done: () => void
}

/** Proves domains: each with the record to publish until it is proven. */
export const DomainStep = ({ domains, done }: DomainStepProps) => {
  const [domain, setDomain] = useState('')
  const { send, failure, isBusy } = useWrite()
  const add = async (event: Event) => {
    event.preventDefault()
    if (!(await send(domainService.addDomain, { domain: domain.trim() }))) return
    setDomain('')
    done()
  }
  return (
    <>
      <p>{texts.setUp.proveAbout}</p>
      {domains.map((each) => (
        <Domain key={each['domain']} domain={each} done={done} />
      ))}
      <form onSubmit={add}>
        <TextField label={texts.setUp.domain} value={domain} change={setDomain} />
        {failure && <FailureNotice failure={failure} />}
        <Button text={texts.setUp.addDomain} isOff={isBusy} />
      </form>
    </>
  )
}

interface DomainProps {
  readonly domain: StoredObject
  readonly done: () => void
}

const Domain = ({ domain: { domain, state, challenge }, done }: DomainProps) => {
  const { send, failure, isBusy } = useWrite()
  const name = String(domain)
  const record = `_claviger-challenge.${name}`
  const verify = async () => {
    if (await send(domainService.verifyDomain, { domain: name })) done()
  }
  if (state === 'DOMAIN_STATE_VERIFIED')
    return (
      <p class="notice" role="status">
        {say(texts.setUp.proven, { domain: name })}
      </p>
    )
  return (
    <div class="record">
      <h3>{name}</h3>
      <p>{texts.setUp.publish}</p>
      <p>
        <code>{record}</code> <CopyButton text={record} /> <code>TXT</code>{' '}
        <code>{String(challenge)}</code> <CopyButton text={String(challenge)} />
      </p>
      {failure &&
        (failure.reason === 'PROOF_NOT_FOUND' ? (
          <p class="notice" role="alert">
            {texts.setUp.notYet}
          </p>
        ) : (
          <FailureNotice failure={failure} />
        ))}
      <Button text={texts.setUp.proveNow} isOff={isBusy} onClick={verify} />
    </div>
  )
}

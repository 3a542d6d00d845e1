import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { domainService, identityProviderService } from '../../../transport/wire.js'
import { actByLink, type StoredObject } from '../api.js'
import { Button } from '../display.js'
import { FailureNotice, Waiting } from '../notice.js'
import { usePermission } from '../permissions.js'
import { useQuery, useRows } from '../query.js'
import { useSend } from '../send.js'
import { settings } from '../settings.js'
import { say, texts } from '../texts.js'
import { ProviderTest } from './objects.js'
import { DomainStep } from './set-up-domain.js'
import { GroupsStep } from './set-up-groups.js'
import { ProviderStep } from './set-up-provider.js'

/** The guided set-up of single sign-on: a step for each thing that the caller, or the holder of a link, may do. */
export const SetUp = () => {
  const mayConnect = usePermission('identity_provider.write')
  const maySee = usePermission('identity_provider.read')
  const mayMap = usePermission('role_mapping.write')
  const mayProve = usePermission('domain.write')
  const [idpId, setIdpId] = useState('')
  const { listIdentityProviders } = identityProviderService
  const providers = useRows(listIdentityProviders, maySee ? {} : undefined)
  const domains = useRows(domainService.listDomains, mayProve ? {} : undefined)
  const provider = providers.rows?.find((each) => each['idpId'] === idpId)
  const steps = [
    (mayConnect || mayMap) && (
      <Step title={mayConnect ? texts.setUp.connect : texts.setUp.whose}>
        {providers.rows ? (
          <ProviderStep
            providers={providers.rows}
            chosen={provider}
            isFixed={!mayConnect}
            choose={(chosen) => {
              setIdpId(chosen)
              providers.reload()
            }}
          />
        ) : (
          <Waiting query={providers} />
        )}
      </Step>
    ),
    mayConnect && provider && <TryStep key={idpId} idpId={idpId} />,
    mayProve && (
      <Step title={texts.setUp.prove}>
        {domains.rows ? (
          <DomainStep domains={domains.rows} done={domains.reload} />
        ) : (
          <Waiting query={domains} />
        )}
      </Step>
    ),
    mayMap && provider && (
      <Step title={texts.setUp.groups}>
        <GroupsStep key={idpId} idpId={idpId} />
      </Step>
    ),
    mayConnect && mayProve && provider && (
      <Step title={texts.setUp.switchOn}>
        <SwitchOn provider={provider} domains={domains.rows ?? []} done={domains.reload} />
      </Step>
    ),
    settings.isLink && <Finish />,
  ]
  return (
    <article class="set-up">
      <h1>{texts.setUp.title}</h1>
      <p>{texts.setUp.about}</p>
      <ol>{steps.map((step, at) => step && <li key={at}>{step}</li>)}</ol>
    </article>
  )
}

interface StepProps {
  readonly title: string
  readonly children: ComponentChildren
}

const Step = ({ title, children }: StepProps) => (
  <section>
    <h2>{title}</h2>
    {children}
  </section>
)

/** The test of a provider, then a sign-in of the admin's own, before anybody else is sent there. */
const TryStep = ({ idpId }: { readonly idpId: string }) => {
  const { body } = useQuery(`/setUp?${new URLSearchParams({ idp_id: idpId })}`)
  const signInUrl = body?.['signInUrl']
  return (
    <>
      <ProviderTest ids={{ idpId }} />
      {signInUrl && (
        <p>
          {texts.setUp.tryAbout}{' '}
          <a href={String(signInUrl)} target="_blank" rel="noopener">
            {texts.setUp.tryNow}
          </a>
        </p>
      )}
    </>
  )
}

interface SwitchOnProps {
  readonly provider: StoredObject
  readonly domains: readonly StoredObject[]
  readonly done: () => void
}

/** Sends the people of proven domains to the provider. */
const SwitchOn = ({ provider, domains, done }: SwitchOnProps) => {
  const { send, failure, isBusy } = useSend()
  const { idpId } = provider
  const proven = domains.filter(({ state }) => state === 'DOMAIN_STATE_VERIFIED')
  const switchOn = async ({ domain }: StoredObject) => {
    if (await send(domainService.setDomainProvider, { domain }, { idpId })) done()
  }
  if (proven.length === 0) return <p class="none">{texts.setUp.proveFirst}</p>
  return (
    <>
      {proven.map((each) => {
        const names = { domain: String(each['domain']), provider: String(provider['name']) }
        return (
          <p key={names.domain}>
            {each['idpId'] === idpId ? (
              <span role="status">{say(texts.setUp.isOn, names)}</span>
            ) : (
              <button
                type="button"
                class="primary"
                disabled={isBusy}
                onClick={() => switchOn(each)}
              >
                {say(texts.setUp.switchOnFor, names)}
              </button>
            )}
          </p>
        )
      })}
      {failure && <FailureNotice failure={failure} />}
    </>
  )
}

/** Ends the link: it does not open again. */
const Finish = () => {
  const { post, failure } = useSend()
  const [isDone, setDone] = useState(false)
  const finish = async () => {
    if (!(await post('/setUp', {}))) return
    actByLink('')
    setDone(true)
  }
  return (
    <Step title={texts.setUp.finish}>
      {isDone ? (
        <p class="notice" role="status">
          {texts.setUp.finished}
        </p>
      ) : (
        <>
          <p>{texts.setUp.finishAbout}</p>
          <Button text={texts.setUp.finish} look="primary" onClick={finish} />
        </>
      )}
      {failure && <FailureNotice failure={failure} />}
    </Step>
  )
}

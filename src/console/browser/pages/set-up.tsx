import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { domainService, identityProviderService } from '../../../transport/wire.js'
import { call, type Json, type JsonValue, leaveLink, type StoredObject } from '../api.js'
import { Button, Opener } from '../button.js'
import { LanguageChoice } from '../choice.js'
import { Dialog } from '../dialog.js'
import { Time } from '../display.js'
import { ownOrganization } from '../known.js'
import { OrganizationName } from '../names.js'
import { FailureNotice, Waiting } from '../notice.js'
import { usePermission } from '../permissions.js'
import { useQuery, useRows } from '../query.js'
import { settings } from '../settings.js'
import { Say, say, texts } from '../texts.js'
import { useWrite } from '../write.js'
import { ProviderTest } from './objects.js'
import { Scim } from './scim.js'
import { DomainStep } from './set-up-domain.js'
import { GroupsStep } from './set-up-groups.js'
import { ProviderStep } from './set-up-provider.js'

const ALL = { pageSize: 1000 }

/** The guided set-up of single sign-on: a step for each thing that the caller, or the holder of a link, may do. */
export const SetUp = () => {
  const mayConnect = usePermission('identity_provider.write')
  const maySee = usePermission('identity_provider.read')
  const mayMap = usePermission('role_mapping.write')
  const mayProve = usePermission('domain.write')
  const [picked, setPicked] = useState('')
  const own = useQuery(settings.isLink ? '/setUp' : undefined)
  const ownId = own.body?.['idpId'] ? String(own.body['idpId']) : undefined
  const idpId = ownId ?? picked
  const { listIdentityProviders } = identityProviderService
  const providers = useRows(listIdentityProviders, maySee ? ALL : undefined)
  const domains = useRows(domainService.listDomains, mayProve ? ALL : undefined)
  const provider = providers.rows?.find((each) => each['idpId'] === idpId)
  const reload = () => {
    providers.reload()
    own.reload()
  }
  useReturn(settings.isLink && provider ? own.reload : undefined)
  const isReady = providers.rows && (!settings.isLink || own.body)
  const proven = domains.rows?.filter(isProven) ?? []
  // A link has switched on what it could: the provider, and each proven domain.
  const isOn =
    provider &&
    (settings.isLink
      ? !isDraft(provider) && proven.every((each) => each['idpId'])
      : proven.some((each) => each['idpId'] === idpId))
  // What a holder of a link may do, and has not.
  const left = [
    ...(mayConnect && !isOn ? [texts.setUp.switchOn] : []),
    ...(mayProve && proven.length === 0 ? [texts.setUp.prove] : []),
  ]
  const steps = [
    (mayConnect || mayMap) && (
      <Step
        title={mayConnect ? texts.setUp.connect : texts.setUp.whose}
        isDone={provider !== undefined}
      >
        {isReady && providers.rows ? (
          <ProviderStep
            providers={providers.rows}
            isReading={providers.isReading}
            chosen={provider}
            isFixed={!mayConnect}
            isRemoved={own.body?.['isRemoved'] === true}
            ownId={ownId}
            choose={(chosen) => {
              setPicked(chosen)
              reload()
            }}
          />
        ) : (
          <Waiting query={providers.rows ? own : providers} of="line" />
        )}
      </Step>
    ),
    mayConnect && provider && (
      <TryStep
        key={provider.details.sequence}
        idpId={idpId}
        passed={own.body ?? {}}
        done={own.reload}
      />
    ),
    mayProve && (
      <Step title={texts.setUp.prove} isDone={proven.length > 0}>
        {domains.rows ? (
          <DomainStep domains={domains.rows} done={domains.reload} />
        ) : (
          <Waiting query={domains} of="line" />
        )}
      </Step>
    ),
    mayMap && provider && (
      <Step title={texts.setUp.groups}>
        <GroupsStep key={idpId} idpId={idpId} />
      </Step>
    ),
    mayConnect && provider && (
      <Scim key={idpId} idpId={idpId} isFixed={settings.isLink && !isDraft(provider)} />
    ),
    mayConnect && (mayProve || settings.isLink) && provider && (
      <Step title={texts.setUp.switchOn} isDone={isOn}>
        {isDraft(provider) ? (
          <SwitchOnDraft provider={provider} passed={own.body ?? {}} done={reload} />
        ) : (
          <SwitchOn provider={provider} domains={domains.rows ?? []} done={domains.reload} />
        )}
      </Step>
    ),
    settings.isLink && <Finish left={left} />,
  ]
  return (
    <article class="set-up">
      {settings.isLink && <Brand expiresAt={own.body?.['expiresAt']} />}
      <h1>{texts.setUp.title}</h1>
      <p>{texts.setUp.about}</p>
      <ol>{steps.map((step, at) => step && <li key={at}>{step}</li>)}</ol>
    </article>
  )
}

const isProven = ({ state }: StoredObject): boolean => state === 'DOMAIN_STATE_VERIFIED'

/** Whose application this is, for whom it is set up, and until when. */
const Brand = ({ expiresAt }: { readonly expiresAt: JsonValue | undefined }) => (
  <header class="brand">
    {settings.logo && <img src={settings.logo} alt="" height="24" />}
    <p>
      <strong>{settings.title || texts.title}</strong>
      {ownOrganization() && (
        <>
          {' · '}
          <OrganizationName id={ownOrganization()} />
        </>
      )}
      {expiresAt && (
        <span class="none">
          {' · '}
          <Say text={texts.setUp.validUntil} time={<Time at={String(expiresAt)} />} />
        </span>
      )}
    </p>
    <LanguageChoice />
  </header>
)

interface StepProps {
  readonly title: string
  readonly isDone?: boolean | undefined
  readonly children: ComponentChildren
}

const Step = ({ title, isDone = false, children }: StepProps) => (
  <section>
    <h2>
      {title} {isDone && <span class="badge ok">{texts.setUp.done}</span>}
    </h2>
    {children}
  </section>
)

/** Whether the provider of a link is not switched on yet. */
const isDraft = ({ state }: StoredObject): boolean => settings.isLink && state === 'STATE_INACTIVE'

/** Reads again when the reader comes back from another window. */
const useReturn = (reload: (() => void) | undefined): void => {
  useEffect(() => {
    if (!reload) return
    window.addEventListener('focus', reload)
    return () => window.removeEventListener('focus', reload)
  }, [reload === undefined])
}

interface TryStepProps {
  readonly idpId: string
  /** What the provider of a link has passed as it is. */
  readonly passed: Json
  readonly done: () => void
}

/** The test of a provider, then a sign-in of the admin's own, before anybody else is sent there. */
const TryStep = ({ idpId, passed, done }: TryStepProps) => {
  const { body } = useQuery(`/setUp?${new URLSearchParams({ idp_id: idpId })}`)
  const signInUrl = body?.['signInUrl']
  return (
    <>
      <ProviderTest ids={{ idpId }} isDone={passed['hasPassedTest'] === true} done={done} />
      {signInUrl && (
        <p>
          {texts.setUp.tryAbout}{' '}
          <a href={String(signInUrl)} target="_blank" rel="noopener">
            {texts.setUp.tryNow}
          </a>{' '}
          {passed['hasSignedIn'] && <span class="badge ok">{texts.setUp.done}</span>}
        </p>
      )}
    </>
  )
}

interface SwitchOnDraftProps {
  readonly provider: StoredObject
  /** What the provider has passed as it is. */
  readonly passed: Json
  readonly done: () => void
}

/** Switches the provider of a link on, once a test and a sign-in have shown that it works. */
const SwitchOnDraft = ({ provider, passed, done }: SwitchOnDraftProps) => {
  const { send, failure, isBusy } = useWrite()
  const { hasPassedTest, hasSignedIn } = passed
  const switchOn = async () => {
    const { reactivateIdentityProvider } = identityProviderService
    if (await send(reactivateIdentityProvider, { idpId: provider['idpId'] })) done()
  }
  return (
    <>
      {!hasPassedTest && <p class="none">{texts.setUp.testFirst}</p>}
      {!hasSignedIn && (
        <p class="none">
          {texts.setUp.signInFirst} <Button text={texts.setUp.lookAgain} onClick={done} />
        </p>
      )}
      {hasPassedTest && hasSignedIn && (
        <Button
          text={say(texts.setUp.switchOnProvider, { provider: String(provider['name']) })}
          look="primary"
          isOff={isBusy}
          onClick={switchOn}
        />
      )}
      {failure && <FailureNotice failure={failure} />}
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
  const { send, failure, isBusy } = useWrite()
  const { idpId } = provider
  // A link leaves domains alone that have another provider.
  const proven = domains.filter(
    (each) => isProven(each) && (!settings.isLink || !each['idpId'] || each['idpId'] === idpId),
  )
  const switchOn = async ({ domain }: StoredObject) => {
    if (await send(domainService.setDomainProvider, { domain, idpId })) done()
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
              <Button
                text={say(texts.setUp.switchOnFor, names)}
                look="primary"
                isOff={isBusy}
                onClick={() => switchOn(each)}
              />
            )}
          </p>
        )
      })}
      {failure && <FailureNotice failure={failure} />}
    </>
  )
}

/** Ends the link, after a dialog that says what is left: it does not open again. */
const Finish = ({ left }: { readonly left: readonly string[] }) => {
  const { run, failure } = useWrite()
  const [isDone, setDone] = useState(false)
  const finish = async () => {
    if (!(await run(call({ method: 'POST', path: '/setUp', body: {} })))) return
    leaveLink()
    setDone(true)
  }
  return (
    <Step title={texts.setUp.finish} isDone={isDone}>
      {isDone ? (
        <p class="notice" role="status">
          {texts.setUp.finished}
        </p>
      ) : (
        <>
          <p>{texts.setUp.finishAbout}</p>
          <Opener
            text={texts.setUp.finish}
            look={left.length === 0 ? 'primary' : undefined}
            dialog={(close) => (
              <Dialog
                title={texts.setUp.finishAsk}
                close={close}
                submit={finish}
                done={{ text: texts.setUp.finish, isDangerous: left.length > 0 }}
              >
                <p>{texts.setUp.finishAbout}</p>
                {left.length > 0 && (
                  <>
                    <p>{texts.setUp.left}</p>
                    <ul>
                      {left.map((step) => (
                        <li key={step}>{step}</li>
                      ))}
                    </ul>
                  </>
                )}
                {failure && <FailureNotice failure={failure} />}
              </Dialog>
            )}
          />
        </>
      )}
    </Step>
  )
}

import { useState } from 'preact/hooks'
import {
  accessService,
  identityProviderService,
  projectGrantService,
  projectRoleService,
} from '../../../transport/wire.js'
import type { Json, StoredObject } from '../api.js'
import { Button } from '../button.js'
import { GrantButton } from '../grant-dialog.js'
import type { RoleHolder } from '../held.js'
import { AddButton, Section } from '../list.js'
import { UserName } from '../names.js'
import { FailureNotice, More, Waiting } from '../notice.js'
import { ObjectPage } from '../object-page.js'
import * as types from '../object-types.js'
import { usePermission } from '../permissions.js'
import { PreviewSignIn } from '../preview.js'
import { useRows } from '../query.js'
import { href, parameter } from '../router.js'
import type { ListSpec } from '../rows.js'
import { settings } from '../settings.js'
import { SecretButton, SignInButton } from '../sign-in.js'
import { sayCount, texts } from '../texts.js'
import { useWrite } from '../write.js'
import { Holders } from './review.js'
import { Scim } from './scim.js'

const rolesOf = (ids: Json): ListSpec => ({
  label: texts.roles,
  type: types.role,
  operation: projectRoleService.listProjectRoles,
  parameters: ids,
  columns: ['displayName', 'roleKey', 'group', 'permissions'],
  filters: ['displayName', 'roleKey', 'group', 'permission'],
  prefix: 'roles.',
})

const grantsOf = (ids: Json): ListSpec => ({
  label: texts.projectGrants,
  type: types.projectGrant,
  operation: projectGrantService.listProjectGrants,
  parameters: ids,
  columns: ['grantedOrgId', 'roleKeys', 'state'],
  filters: ['grantedOrgId', 'roleKey'],
  prefix: 'grants.',
})

export const Project = () => {
  const projectId = parameter('id')
  const ids = { projectId }
  const maySeeRoles = usePermission('project.role.read')
  const maySeeGrants = usePermission('project.grant.read')
  const maySeeUsers = usePermission('user.grant.read')
  return (
    <ObjectPage type={types.project} back={href('projects')}>
      {maySeeUsers && (
        <nav class="links" aria-label={texts.project}>
          <a href={href('matrix', { projectId })}>{texts.matrix}</a>{' '}
          <a href={href('review', { projectId })}>{texts.review}</a>
        </nav>
      )}
      {maySeeGrants && <AddButton type={types.projectGrant} ids={ids} text={texts.grantProject} />}
      {maySeeRoles && <Section list={rolesOf(ids)} add={ids} />}
      {maySeeGrants && <Section list={grantsOf(ids)} />}
    </ObjectPage>
  )
}

const backToProject = (): string => href('project', { id: parameter('projectId') })

export const Role = () => (
  <ObjectPage type={types.role} back={backToProject()} lead={<HoldersOfRole />} />
)

/** Who has the role now, and what gives it to others. */
const HoldersOfRole = () => {
  const project = { projectId: parameter('projectId') }
  const roleKey = parameter('roleKey')
  const maySee = usePermission('user.grant.read')
  const mayGive = usePermission('user.grant.write')
  const filter = maySee ? { ...project, roleKey, pageSize: 100 } : undefined
  const query = useRows<RoleHolder>(accessService.listRoleHolders, filter)
  const { rows } = query
  if (!maySee) return null
  return (
    <section>
      <header>
        <h2>{texts.holders}</h2>
        {mayGive && <GrantButton project={project} roles={[{ roleKey }]} />}
      </header>
      {!rows && <Waiting query={query} />}
      {rows?.length === 0 && <p class="empty">{texts.emptyHolders}</p>}
      {rows && rows.length > 0 && (
        <Holders
          holders={rows}
          roles={[]}
          project={project}
          without={['roleKey']}
          more={query.more}
        />
      )}
      <More query={query} />
    </section>
  )
}

export const ProjectGrant = () => <ObjectPage type={types.projectGrant} back={backToProject()} />

export const Domain = () => <ObjectPage type={types.domain} back={href('domains')} />

export const Mapping = () => <ObjectPage type={types.roleMapping} back={href('mappings')} />

export const Membership = () => (
  <ObjectPage type={types.membership} back={href('user', { userId: parameter('userId') })} />
)

export const SetupLink = () => <ObjectPage type={types.setupLink} back={href('setup-links')} />

export const UserGrant = () => {
  const userId = parameter('userId')
  const lead = (
    <p>
      <a href={href('user', { userId })}>
        {texts.user}: <UserName id={userId} />
      </a>
    </p>
  )
  return <ObjectPage type={types.userGrant} back={href('grants')} lead={lead} />
}

export const Provider = () => (
  <ObjectPage type={types.provider} back={href('providers')} tool={ProviderTools}>
    <Scim idpId={parameter('idpId')} />
  </ObjectPage>
)

const ProviderTools = ({ ids, object }: { readonly ids: Json; readonly object: StoredObject }) => (
  <>
    {!object['protectedBy'] && (
      <div key={object.details.sequence} class="actions start">
        <SecretButton ids={ids} provider={object} />
        <SignInButton ids={ids} provider={object} />
      </div>
    )}
    <ProviderTest key={object.details.sequence} ids={ids} />
  </>
)

interface TestResult {
  readonly checks?: readonly {
    readonly name: string
    readonly verdict: string
    readonly message: string
  }[]
}

/** Asks a provider what it offers, and shows what was found. */
export const ProviderTest = ({
  ids,
  isDone = false,
  done,
}: {
  readonly ids: Json
  /** Whether the provider has passed a test before. */
  readonly isDone?: boolean
  /** Called after each test. */
  readonly done?: () => void
}) => {
  const { send, failure, isBusy } = useWrite()
  const [found, setFound] = useState<TestResult | undefined>()
  const test = async () => {
    setFound(undefined)
    setFound(await send<TestResult>(identityProviderService.testIdentityProvider, ids))
    done?.()
  }
  const checks = found?.checks ?? []
  // What failed comes first.
  const wrong = ['failed', 'warning'].flatMap((verdict) =>
    checks.filter((check) => check.verdict === verdict),
  )
  return (
    <section>
      <h2>
        {texts.test} {isDone && <span class="badge ok">{texts.setUp.done}</span>}
      </h2>
      <p>
        {texts.testAbout}{' '}
        <Button text={isBusy ? texts.testing : texts.runTest} isOff={isBusy} onClick={test} />
      </p>
      <div role="status">
        {failure?.reason === 'NOT_CONFIGURED' && <p class="notice">{texts.testNotSetUp}</p>}
        {failure && failure.reason !== 'NOT_CONFIGURED' && <FailureNotice failure={failure} />}
        {found && (
          <ul class="checks">
            {wrong.map(({ name, verdict, message }) => (
              <li key={name}>
                <span class={`badge ${verdict}`}>{texts.verdicts[verdict] ?? verdict}</span>
                <span>{message}</span>
              </li>
            ))}
            {wrong.length < checks.length && (
              <li>
                <span class="badge ok">{texts.verdicts['ok']}</span>
                <span>{sayCount(texts.testsFine, checks.length - wrong.length)}</span>
              </li>
            )}
          </ul>
        )}
      </div>
      {settings.hasPreview && found?.checks?.every(({ verdict }) => verdict !== 'failed') && (
        <PreviewSignIn idpId={String(ids['idpId'])} />
      )}
    </section>
  )
}

import { useState } from 'preact/hooks'
import {
  accessService,
  identityProviderService,
  projectGrantService,
  projectRoleService,
  userGrantService,
} from '../../../transport/wire.js'
import { call, type Failure, type Json, type JsonValue, type Outcome, pathOf } from '../api.js'
import { Button, FailureNotice, Value, Waiting } from '../display.js'
import { ReasonField } from '../form.js'
import { List, Section, useList } from '../list.js'
import { ObjectPage } from '../object-page.js'
import * as types from '../object-types.js'
import { usePermission, useQuery } from '../query.js'
import { href, parameter } from '../router.js'
import type { ListSpec } from '../rows.js'
import { fieldName, texts } from '../texts.js'

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
  return (
    <ObjectPage type={types.project} back={href('projects')}>
      <nav class="links" aria-label={texts.project}>
        <a href={href('matrix', { projectId })}>{texts.matrix}</a>{' '}
        <a href={href('review', { projectId })}>{texts.review}</a>
      </nav>
      <Section list={rolesOf(ids)} add={{ ids }} />
      <Section list={grantsOf(ids)} add={{ ids }} />
    </ObjectPage>
  )
}

const backToProject = (): string => href('project', { id: parameter('projectId') })

export const Role = () => <ObjectPage type={types.role} back={backToProject()} />

export const ProjectGrant = () => <ObjectPage type={types.projectGrant} back={backToProject()} />

export const Domain = () => <ObjectPage type={types.domain} back={href('domains')} />

export const UserGrant = () => {
  const userId = parameter('userId')
  return (
    <ObjectPage type={types.userGrant} back={href('users')}>
      <p>
        <a href={href('user', { userId })}>
          {texts.user}: <bdi>{userId}</bdi>
        </a>
      </p>
    </ObjectPage>
  )
}

/** A user: all grants, the roles that count, and a button that removes all. */
export const User = () => {
  const userId = parameter('userId')
  const list: ListSpec = {
    type: types.userGrant,
    operation: userGrantService.listUserGrants,
    parameters: { 'filter.user_id.equals': userId },
    columns: ['projectId', 'projectOrgId', 'roles', 'state'],
    filters: ['projectId', 'roleKey'],
    label: texts.userGrant,
  }
  const query = useList(list)
  return (
    <article>
      <p class="kind">{texts.user}</p>
      <h1>
        <bdi>{userId}</bdi>
      </h1>
      <List list={list} query={query} />
      <HeldRoles key={JSON.stringify(query.rows)} userId={userId} />
      <RemoveAll userId={userId} done={query.reload} />
    </article>
  )
}

const HELD = ['roleKey', 'projectId', 'projectOrgId', 'permissions', 'expiresAt'] as const

type UserRole = { readonly [column in (typeof HELD)[number]]?: JsonValue }

/** The roles of a user that count, with what they allow. */
const HeldRoles = ({ userId }: { readonly userId: string }) => {
  const path = pathOf(accessService.listRolesOfUser, { userId, pageSize: 100 })
  const roles = useQuery<UserRole>(path, { pages: { items: 'userRoles', cursor: 'page_token' } })
  const { rows, hasMore, more } = roles
  if (!rows) return <Waiting query={roles} />
  if (rows.length === 0) return null
  return (
    <section>
      <h2>{texts.heldRoles}</h2>
      <section class="wide" tabIndex={0} aria-label={texts.heldRoles}>
        <table>
          <thead>
            <tr>
              {HELD.map((name) => (
                <th key={name} scope="col">
                  {fieldName(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((role) => (
              <tr>
                {HELD.map((name) => (
                  <td key={name}>
                    <Value of={role[name]} field={name} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {hasMore && <Button text={texts.more} onClick={more} />}
    </section>
  )
}

interface RemoveAllProps {
  readonly userId: string
  readonly done: () => void
}

const RemoveAll = ({ userId, done }: RemoveAllProps) => {
  const [failure, setFailure] = useState<Failure | undefined>()
  const [isAsking, setAsking] = useState(false)
  const [reason, setReason] = useState('')
  const { permission } = types.userGrant
  const isAllowed = usePermission(permission)
  if (isAllowed === undefined) return null
  if (!isAllowed) return <p class="none">{texts.readOnly(permission)}</p>
  const removeAll = async () => {
    setAsking(false)
    const path = pathOf(userGrantService.removeAllUserGrants)
    const outcome = await call({ method: 'POST', path, body: { userId, reason } })
    setFailure('failure' in outcome ? outcome.failure : undefined)
    done()
  }
  return (
    <>
      {isAsking && <ReasonField reason={reason} change={setReason} />}
      <div class="actions start">
        {isAsking ? (
          <>
            <span>{texts.removeAllAsk}</span>
            <Button text={texts.cancel} onClick={() => setAsking(false)} />
            <Button text={texts.confirm} look="danger" onClick={removeAll} />
          </>
        ) : (
          <Button text={texts.removeAll} look="danger" onClick={() => setAsking(true)} />
        )}
      </div>
      {failure && <FailureNotice failure={failure} />}
    </>
  )
}

export const Provider = () => (
  <ObjectPage type={types.provider} back={href('providers')} tool={ProviderTest} />
)

interface TestResult {
  readonly checks?: readonly {
    readonly name: string
    readonly verdict: string
    readonly message: string
  }[]
}

/** Asks a provider what it offers, and shows what was found. */
const ProviderTest = ({ ids }: { readonly ids: Json }) => {
  const [outcome, setOutcome] = useState<Outcome<TestResult> | undefined>()
  const [isBusy, setBusy] = useState(false)
  const test = async () => {
    setBusy(true)
    setOutcome(
      await call<TestResult>({
        method: 'POST',
        path: pathOf(identityProviderService.testIdentityProvider, ids),
      }),
    )
    setBusy(false)
  }
  return (
    <section>
      <h2>{texts.test}</h2>
      <p>
        {texts.testAbout}{' '}
        <button type="button" disabled={isBusy} onClick={test}>
          {isBusy ? texts.testing : texts.runTest}
        </button>
      </p>
      <div role="status">{outcome && <Findings outcome={outcome} />}</div>
    </section>
  )
}

const Findings = ({ outcome }: { readonly outcome: Outcome<TestResult> }) => {
  if ('failure' in outcome)
    return outcome.failure.reason === 'NOT_CONFIGURED' ? (
      <p class="notice">{texts.testNotSetUp}</p>
    ) : (
      <FailureNotice failure={outcome.failure} />
    )
  return (
    <ul class="checks">
      {outcome.body.checks?.map(({ name, verdict, message }) => (
        <li key={name}>
          <span class={`badge ${verdict}`}>{texts.verdicts[verdict] ?? verdict}</span>
          <span>{message}</span>
        </li>
      ))}
    </ul>
  )
}

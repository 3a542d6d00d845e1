import { useEffect, useState } from 'preact/hooks'
import { accessService } from '../../../transport/wire.js'
import type { Failure } from '../api.js'
import { Button } from '../button.js'
import { cellTime, readAll, saveCsv, timeZone } from '../csv.js'
import { DateField } from '../dates.js'
import { Time, Value } from '../display.js'
import { nameOf, personOf, projectNameOf } from '../known.js'
import { ProjectName } from '../names.js'
import { ExportButton, FailureNotice, More, Waiting } from '../notice.js'
import { useRows } from '../query.js'
import { type RoleOption, type RoleSource, useRolesOf, viaOf } from '../roles-field.js'
import { parameter } from '../router.js'
import { fieldName, Say, texts } from '../texts.js'
import { ProjectChoice } from './project-choice.js'

/** Who had which role of a project at a time, over all organizations; or what has changed since another time. */
export const Review = () => {
  const projectId = parameter('projectId')
  const at = parameter('at')
  const since = parameter('since')
  return (
    <article>
      <h1>{texts.review}</h1>
      <div class="bar no-print">
        <ProjectChoice isOfOwn />
        <DateField name="at" label={texts.at} />
        <DateField name="since" label={texts.comparedWith} />
      </div>
      {!projectId && <p class="empty">{texts.chooseProject}</p>}
      {projectId && !since && <ReviewOf key={`${projectId} ${at}`} {...{ projectId, at }} />}
      {projectId && since && (
        <Comparison key={`${projectId} ${at} ${since}`} {...{ projectId, at, since }} />
      )}
    </article>
  )
}

interface ReviewProps {
  readonly projectId: string
  readonly at: string
}

const COLUMNS = ['userId', 'orgId', 'roleKey', 'via', 'from', 'expiresAt'] as const

interface RoleHolder {
  readonly userId: string
  readonly orgId: string
  readonly roleKey: string
  readonly from: string
  readonly expiresAt?: string
  /** Absent where the role was given by hand. */
  readonly via?: RoleSource
}

const { listRoleHolders } = accessService

const roleName = (roles: readonly RoleOption[] | undefined, key: string): string =>
  roles?.find(({ roleKey }) => roleKey === key)?.name ?? key

const permissionsOf = (roles: readonly RoleOption[] | undefined, key: string): string =>
  roles?.find(({ roleKey }) => roleKey === key)?.permissions.join(' ') ?? ''

const ReviewOf = ({ projectId, at }: ReviewProps) => {
  const holders = useRows<RoleHolder>(listRoleHolders, { projectId, at, page_size: '1000' })
  const { roles } = useRolesOf({ projectId })
  const { rows, hasMore } = holders
  if (!rows) return <Waiting query={holders} />
  const shownAt = at || new Date().toISOString()
  const save = async () => {
    const all = await readAll<RoleHolder>(listRoleHolders, { projectId, at })
    if ('failure' in all) return all.failure
    await exportReview(all.rows, { projectId, at: shownAt, roles })
    return undefined
  }
  return (
    <>
      <div class="bar">
        <span>
          <Say
            text={texts.reviewAbout}
            project={<ProjectName projectId={projectId} />}
            time={<Time at={shownAt} />}
          />
        </span>
        {rows.length > 0 && <ExportButton save={save} />}
        <Button text={texts.print} look="no-print" onClick={() => window.print()} />
      </div>
      {rows.length === 0 && <p class="empty">{texts.emptyReview}</p>}
      {rows.length > 0 && <Holders holders={rows} roles={roles} />}
      {hasMore && (
        <div class="notice">
          {texts.notAll} <More query={holders} />
        </div>
      )}
    </>
  )
}

/** What a row of a comparison is: a role that is new, or one that is gone. */
type Difference = RoleHolder & { readonly mark?: '+' | '−' }

interface HoldersProps {
  readonly holders: readonly Difference[]
  readonly roles: readonly RoleOption[] | undefined
}

const Holders = ({ holders, roles }: HoldersProps) => (
  <section class="wide" tabIndex={0} aria-label={texts.review}>
    <table>
      <thead>
        <tr>
          {COLUMNS.map((name) => (
            <th key={name} scope="col">
              {name === 'roleKey' ? texts.role : fieldName(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {holders.map((holder) => (
          <tr key={`${keyOf(holder)}${holder.mark}`}>
            {COLUMNS.map((name) => (
              <td key={name}>
                {name === 'userId' && holder.mark && [<Mark of={holder.mark} />, ' ']}
                {name === 'via' ? (
                  viaOf(holder)
                ) : name === 'roleKey' ? (
                  <bdi title={holder.roleKey}>{roleName(roles, holder.roleKey)}</bdi>
                ) : (
                  <Value of={holder[name]} field={name} />
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

const Mark = ({ of }: { readonly of: '+' | '−' }) => (
  <span class={`badge ${of === '+' ? 'add' : 'remove'}`}>
    {of === '+' ? texts.isNew : texts.isGone}
  </span>
)

interface ComparisonProps extends ReviewProps {
  readonly since: string
}

/** The roles that users have gained and lost between two times. */
const Comparison = ({ projectId, at, since }: ComparisonProps) => {
  const [found, setFound] = useState<readonly Difference[] | undefined>()
  const [failure, setFailure] = useState<Failure | undefined>()
  const { roles } = useRolesOf({ projectId })
  useEffect(() => {
    const read = (time: string) => readAll<RoleHolder>(listRoleHolders, { projectId, at: time })
    void Promise.all([read(since), read(at)]).then(([before, after]) => {
      if ('failure' in before) setFailure(before.failure)
      else if ('failure' in after) setFailure(after.failure)
      else setFound(differences(before.rows, after.rows))
    })
  }, [])
  return (
    <>
      <p>
        <Say
          text={texts.compares}
          project={<ProjectName projectId={projectId} />}
          from={<Time at={since} />}
          to={<Time at={at || new Date().toISOString()} />}
        />
      </p>
      {!found && !failure && <p role="status">{texts.loading}</p>}
      {failure && <FailureNotice failure={failure} />}
      {found?.length === 0 && <p class="empty">{texts.compareNone}</p>}
      {found && found.length > 0 && <Holders holders={found} roles={roles} />}
    </>
  )
}

/** A user may have a role in several ways. */
const keyOf = ({ orgId, userId, roleKey, via }: RoleHolder): string =>
  JSON.stringify([orgId, userId, roleKey, via?.idpId, via?.group])

const differences = (
  before: readonly RoleHolder[],
  after: readonly RoleHolder[],
): readonly Difference[] => {
  const [past, present] = [new Set(before.map(keyOf)), new Set(after.map(keyOf))]
  return [
    ...after
      .filter((each) => !past.has(keyOf(each)))
      .map((each) => ({ ...each, mark: '+' as const })),
    ...before
      .filter((each) => !present.has(keyOf(each)))
      .map((each) => ({ ...each, mark: '−' as const })),
  ]
}

interface ExportOptions extends ReviewProps, Pick<HoldersProps, 'roles'> {}

const exportReview = async (
  holders: readonly RoleHolder[],
  { projectId, at, roles }: ExportOptions,
): Promise<void> => {
  const timed = (name: string) => `${fieldName(name)} (${timeZone})`
  const head = [
    ...[texts.user, texts.email, texts.userId, fieldName('orgId'), texts.project, texts.role],
    ...[
      fieldName('permissions'),
      fieldName('roleKey'),
      fieldName('via'),
      timed('from'),
      timed('expiresAt'),
      `${texts.at} (${timeZone})`,
    ],
  ]
  const project = projectNameOf({ projectId })
  const rows = holders.map(({ userId, orgId, roleKey, via, from, expiresAt }) => [
    ...[nameOf(userId), personOf(userId)?.email ?? '', userId, orgId, project],
    ...[roleName(roles, roleKey), permissionsOf(roles, roleKey), roleKey, viaOf({ via })],
    ...[cellTime(from), cellTime(expiresAt), cellTime(at)],
  ])
  saveCsv(`${texts.review} ${project} ${cellTime(at).slice(0, 10)}`, [head, ...rows])
}

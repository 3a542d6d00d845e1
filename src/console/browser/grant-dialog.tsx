import { useEffect, useState } from 'preact/hooks'
import { userGrantService } from '../../transport/wire.js'
import type { Failure, FieldChange, Impact } from './api.js'
import { Opener } from './button.js'
import { Dialog } from './dialog.js'
import { Changes, Consequences, GRANTED, isNothing, Value } from './display.js'
import { announce, ReasonField, TextField } from './form.js'
import { nameOf, roleNameOf, type Scope } from './known.js'
import { ROLE, RolesOf, UserName } from './names.js'
import { FailureNotice } from './notice.js'
import { type Option, Picker } from './picker.js'
import { findProjects, type ProjectOption, projectOption } from './project-picker.js'
import { RolesField } from './roles-field.js'
import { fieldName, say, sayCount, texts } from './texts.js'
import { givenAgain } from './undo.js'
import { UserPicker } from './user-picker.js'
import { drawKey, type RoleChoice, type Step, write } from './write.js'

/** Whether roles are given or taken. */
type Way = 'give' | 'take'

/** The request for one user, and the result of its dry run. */
interface Plan {
  readonly userId: string
  readonly step: Step
  readonly key: string
  readonly changes: readonly FieldChange[]
  readonly impact: Impact | undefined
  readonly failure: Failure | undefined
  readonly isDone?: boolean
}

const { giveUserGrant, removeUserGrantRoles } = userGrantService

/** Gives a user roles of a project besides those that they have, or takes some. */
export const grantStep = (
  way: Way,
  { projectId, projectOrgId, resource }: Scope,
  { userId, roles }: { readonly userId: string; readonly roles: readonly RoleChoice[] },
): Step => {
  const ids = { userId, projectId, projectOrgId, resource: resource || undefined }
  if (way === 'give') return { operation: giveUserGrant, values: { ...ids, roles } }
  const roleKeys = roles.map(({ roleKey }) => roleKey)
  return { operation: removeUserGrantRoles, values: { ...ids, roleKeys } }
}

/** What undoes changes of the roles of a user: it gives back what was taken, with its end, unless that has passed. */
export const undoOf = (
  userId: string,
  project: Scope,
  changes: readonly FieldChange[],
): readonly Step[] => {
  const ofRoles = changes.filter(({ field }) => field.startsWith(ROLE))
  const roleOf = ({ field, from }: FieldChange): RoleChoice => ({
    roleKey: field.slice(ROLE.length),
    expiresAt: isNothing(from) || from === GRANTED ? undefined : String(from),
  })
  const gained = ofRoles.filter(({ from }) => isNothing(from)).map(roleOf)
  const before = ofRoles.filter(({ from }) => !isNothing(from)).map(roleOf)
  const isInactive = changes.some(({ field, from }) => field === 'state' && from === 'inactive')
  const state = isInactive && 'STATE_INACTIVE'
  return [
    ...(gained.length > 0 ? [grantStep('take', project, { userId, roles: gained })] : []),
    ...givenAgain({ ...project, userId, roles: before, state }),
  ]
}

/** The title names the user and the role, where one is given. */
const titleOf = (
  way: Way,
  { users, project, roles }: GrantProps,
  user: string | undefined,
): string => {
  const verb = way === 'give' ? texts.giveRoles : texts.takeRoles
  if (!users || user === undefined) return verb
  const [role, ...others] = roles ?? []
  if (!role || !project || others.length > 0) return say(texts.verbFor, { verb, user })
  return say(way === 'give' ? texts.givesRole : texts.takesRole, {
    user,
    role: roleNameOf(project, role.roleKey),
  })
}

const tryOut = async (userId: string, step: Step): Promise<Plan> => {
  const tried = await write(step, { isTrial: true })
  const { changes = [], impact } = ('body' in tried && tried.body.planned) || {}
  const failure = 'failure' in tried ? tried.failure : undefined
  // Who has no role of the project has nothing to lose.
  const hasNone = failure?.reason === 'NOT_FOUND' && step.operation === removeUserGrantRoles
  return { userId, step, key: drawKey(), changes, impact, failure: hasNone ? undefined : failure }
}

const send = async (plan: Plan, reason: string): Promise<Plan> => {
  const { step, key, isDone, changes } = plan
  if (isDone || changes.length === 0) return plan
  const outcome = await write(step, { key, reason })
  return 'failure' in outcome
    ? { ...plan, failure: outcome.failure }
    : { ...plan, isDone: true, failure: undefined }
}

interface GrantProps {
  readonly way?: Way
  readonly project?: Scope | undefined
  readonly users?: readonly string[]
  readonly roles?: readonly RoleChoice[]
}

interface GrantButtonProps extends GrantProps {
  /** Called when something was given or taken. */
  readonly done?: () => void
}

/** A button that opens the dialog. */
export const GrantButton = ({ done, ...choices }: GrantButtonProps) => {
  const isGiving = choices.way !== 'take'
  const dialog = (close: () => void) => {
    const closed = (isDone: boolean) => {
      close()
      if (isDone) done?.()
    }
    return <GrantDialog {...choices} close={closed} />
  }
  const text = isGiving ? texts.giveRoles : texts.takeRoles
  return <Opener text={text} look={isGiving ? 'primary' : 'danger'} dialog={dialog} />
}

interface GrantDialogProps extends GrantProps {
  readonly close: (isDone: boolean) => void
}

/** Gives roles of a project to users, or takes them: pick, preview, save. */
export const GrantDialog = ({ way = 'give', close, ...choices }: GrantDialogProps) => {
  const [projects, setProjects] = useState<readonly ProjectOption[]>(
    choices.project ? [projectOption(choices.project)] : [],
  )
  const [users, setUsers] = useState<readonly Option[]>(
    (choices.users ?? []).map((id) => ({ id, name: nameOf(id) })),
  )
  const [roles, setRoles] = useState<readonly RoleChoice[]>(choices.roles ?? [])
  const [resource, setResource] = useState(choices.project?.resource ?? '')
  const [plans, setPlans] = useState<readonly Plan[] | undefined>()
  const [isTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [reason, setReason] = useState('')
  const [chosen] = projects
  const scope = chosen && { ...chosen, resource: resource.trim() }
  useEffect(() => {
    if (choices.project && choices.roles && users.length > 0) void preview()
  }, [])

  const preview = async () => {
    setTried(true)
    if (!scope || users.length === 0 || roles.length === 0) return
    setBusy(true)
    const tried = users.map(({ id }) => tryOut(id, grantStep(way, scope, { userId: id, roles })))
    setPlans(await Promise.all(tried))
    setBusy(false)
  }
  const save = async (planned: readonly Plan[]) => {
    if (!scope) return
    setBusy(true)
    const saved: Plan[] = []
    for (const plan of planned) saved.push(await send(plan, reason))
    setBusy(false)
    setPlans(saved)
    const done = saved.filter(({ isDone }) => isDone)
    const steps = done.flatMap(({ userId, changes }) => undoOf(userId, scope, changes))
    if (done.length > 0)
      announce(sayCount(way === 'give' ? texts.gaveTo : texts.tookFrom, done.length), { steps })
    if (saved.every(({ isDone, changes }) => isDone || changes.length === 0)) close(true)
  }
  const hasChanges = plans?.some(({ isDone, changes }) => !isDone && changes.length > 0)
  const verb = way === 'give' ? texts.giveRoles : texts.takeRoles
  const [user, ...others] = users
  const title = titleOf(way, choices, others.length === 0 ? user?.name : undefined)
  return (
    <Dialog
      title={title}
      close={() => close(plans?.some(({ isDone }) => isDone) ?? false)}
      submit={() => void (plans ? save(plans) : preview())}
      back={plans && (() => setPlans(undefined))}
      isFilled={
        users.length > (choices.users?.length ?? 0) || roles.length > (choices.roles?.length ?? 0)
      }
      done={{
        text: isBusy ? texts.saving : plans ? verb : texts.preview,
        isOff: isBusy || (plans !== undefined && !hasChanges),
        isDangerous: way === 'take',
      }}
    >
      {!plans && (
        <>
          {choices.users?.length !== 1 && (
            <UserPicker
              label={way === 'give' ? texts.giveTo : texts.takeFrom}
              isMultiple
              chosen={users}
              change={setUsers}
              error={isTried && users.length === 0 ? texts.noUserChosen : undefined}
            />
          )}
          {!choices.project && (
            <Picker
              label={texts.project}
              chosen={projects}
              change={(options) => {
                setProjects(options)
                setRoles([])
              }}
              find={findProjects}
              picksOnly
              error={isTried && !chosen ? texts.chooseProject : undefined}
            />
          )}
          {chosen && (
            <RolesField
              key={chosen.id}
              label={texts.roles}
              project={chosen}
              chosen={roles}
              change={setRoles}
              hasExpiry={way === 'give'}
              error={isTried && roles.length === 0 ? texts.noRoleChosen : undefined}
            />
          )}
          {chosen && (
            <details open={resource !== ''}>
              <summary>{texts.onOneResource}</summary>
              <TextField
                label={fieldName('resource')}
                hint={texts.resourceHint}
                most={200}
                isOptional
                value={resource}
                change={setResource}
              />
            </details>
          )}
        </>
      )}
      {plans && chosen && (
        <div class="preview" role="status">
          <p>
            {hasChanges ? texts.willChange : texts.noChange}{' '}
            <Value of={chosen.projectId} field="projectId" row={{ ...scope }} />
          </p>
          <RolesOf object={{ ...chosen }}>
            {plans.map(({ userId, changes, impact, failure, isDone }) => (
              <section key={userId}>
                <h3>
                  <UserName id={userId} /> {isDone && <span class="badge ok">✓</span>}
                </h3>
                {failure ? <FailureNotice failure={failure} /> : <Changes changes={changes} />}
                {!failure && changes.length === 0 && <p class="none">{texts.noChange}</p>}
                <Consequences impact={impact} isBrief={way === 'give' || changes.length > 0} />
              </section>
            ))}
          </RolesOf>
        </div>
      )}
      {hasChanges && <ReasonField reason={reason} change={setReason} />}
    </Dialog>
  )
}

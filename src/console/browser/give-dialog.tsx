import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { userGrantService } from '../../transport/wire.js'
import { call, type Failure, type FieldChange, type Impact, type Json, pathOf } from './api.js'
import { Button, Changes, Consequences } from './display.js'
import { ReasonField } from './form.js'
import { RolesOf } from './names.js'
import { FailureNotice } from './notice.js'
import { UserName } from './people.js'
import { type Option, Picker } from './picker.js'
import { findProjects, listOf, type ProjectOption } from './project-picker.js'
import { RolesField } from './roles-field.js'
import { texts } from './texts.js'
import { UserPicker } from './user-picker.js'
import { drawKey, type RoleChoice } from './write.js'

/** The request for one user, and the result of its dry run. */
interface Planned {
  readonly user: Option
  readonly path: string
  readonly body: Json
  readonly key: string
  readonly etag: string | undefined
  readonly changes: readonly FieldChange[]
  readonly impact: Impact | undefined
  readonly failure: Failure | undefined
  readonly isDone?: boolean
}

/** Adds to the roles that a user has of the project, or gives the first. */
const planFor = async (
  user: Option,
  project: ProjectOption,
  roles: readonly RoleChoice[],
): Promise<Planned> => {
  const { projectId, projectOrgId } = project
  const filter = {
    'filter.user_id.equals': user.id,
    'filter.project_id.equals': projectId,
    'filter.project_org_id.equals': projectOrgId,
  }
  const { listUserGrants, addUserGrantRoles, addUserGrant } = userGrantService
  const found = await listOf(listUserGrants, filter)
  // Another organization may have granted a project with the same id.
  const granted = found.filter(
    (grant) => grant['projectOrgId'] === (projectOrgId ?? grant.details.resourceOwner),
  )
  const path = pathOf(granted.length > 0 ? addUserGrantRoles : addUserGrant)
  const body = {
    userId: user.id,
    projectId,
    ...(projectOrgId && { projectOrgId }),
    roles: roles.map((role) => ({ ...role })),
  }
  const tried = await call<{ readonly planned?: Pick<Planned, 'changes' | 'impact'> }>({
    method: 'POST',
    path,
    body: { ...body, validateOnly: true },
  })
  const { changes = [], impact } = ('body' in tried && tried.body.planned) || {}
  return {
    ...{ user, path, body, key: drawKey(), changes, impact },
    etag: granted.length > 0 && 'body' in tried ? tried.etag : undefined,
    failure: 'failure' in tried ? tried.failure : undefined,
  }
}

interface GiveProps {
  readonly project?: ProjectOption | undefined
  readonly users?: readonly Option[]
}

/** A button that opens the dialog; `done` is called when roles were given. */
export const GiveButton = ({ done, ...given }: GiveProps & { readonly done: () => void }) => {
  const [isOpen, setOpen] = useState(false)
  const close = (isDone: boolean) => {
    setOpen(false)
    if (isDone) done()
  }
  return (
    <>
      <Button text={texts.giveRoles} look="primary" onClick={() => setOpen(true)} />
      {isOpen && <GiveDialog {...given} close={close} />}
    </>
  )
}

interface GiveDialogProps extends GiveProps {
  readonly close: (isDone: boolean) => void
}

/** A dialog that gives roles of a project to users: pick, preview, save. */
const GiveDialog = ({ project, users: given = [], close }: GiveDialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [projects, setProjects] = useState<readonly ProjectOption[]>(project ? [project] : [])
  const [users, setUsers] = useState(given)
  const [roles, setRoles] = useState<readonly RoleChoice[]>([])
  const [planned, setPlanned] = useState<readonly Planned[] | undefined>()
  const [isTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [reason, setReason] = useState('')
  const [chosen] = projects
  useLayoutEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    // The only project needs no choice.
    if (!project)
      void findProjects('').then((found) => found.length === 1 && setProjects([...found]))
  }, [])

  const preview = async () => {
    setTried(true)
    if (!chosen || users.length === 0 || roles.length === 0) return
    setBusy(true)
    setPlanned(await Promise.all(users.map((user) => planFor(user, chosen, roles))))
    setBusy(false)
  }
  const save = async (plans: readonly Planned[]) => {
    setBusy(true)
    const saved: Planned[] = []
    for (const plan of plans) saved.push(await send(plan, reason))
    setBusy(false)
    setPlanned(saved)
    if (saved.every(({ isDone, changes }) => isDone || changes.length === 0)) close(true)
  }
  const onSubmit = (event: Event) => {
    event.preventDefault()
    void (planned ? save(planned) : preview())
  }
  const hasChanges = planned?.some(({ isDone, changes }) => !isDone && changes.length > 0)
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onClose={() => close(planned?.some(({ isDone }) => isDone) ?? false)}
    >
      <form onSubmit={onSubmit} noValidate>
        <h2 id="dialog-title">{texts.giveRoles}</h2>
        {!planned && (
          <>
            <UserPicker
              label={texts.giveTo}
              isMultiple
              chosen={users}
              change={setUsers}
              error={isTried && users.length === 0 ? texts.noUserChosen : undefined}
            />
            {!project && (
              <Picker
                label={texts.project}
                chosen={projects}
                change={(options) => {
                  setProjects(options)
                  setRoles([])
                }}
                find={findProjects}
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
                hasExpiry
                error={isTried && roles.length === 0 ? texts.noRoleChosen : undefined}
              />
            )}
          </>
        )}
        {planned && (
          <div class="preview" role="status">
            <p>{hasChanges ? texts.willChange : texts.noChange}</p>
            <RolesOf object={{ projectId: chosen?.projectId, projectOrgId: chosen?.projectOrgId }}>
              {planned.map(({ user, changes, impact, failure, isDone }) => (
                <section key={user.id}>
                  <h3>
                    <UserName id={user.id} /> {isDone && <span class="badge ok">✓</span>}
                  </h3>
                  {failure ? <FailureNotice failure={failure} /> : <Changes changes={changes} />}
                  {!failure && changes.length === 0 && <p class="none">{texts.noChange}</p>}
                  <Consequences impact={impact} isBrief />
                </section>
              ))}
            </RolesOf>
          </div>
        )}
        {hasChanges && <ReasonField reason={reason} change={setReason} />}
        <div class="actions">
          <Button text={texts.cancel} onClick={() => dialog.current?.close()} />
          {planned && <Button text={texts.back} onClick={() => setPlanned(undefined)} />}
          <button type="submit" class="primary" disabled={isBusy || (planned && !hasChanges)}>
            {isBusy ? texts.saving : planned ? texts.giveRoles : texts.preview}
          </button>
        </div>
      </form>
    </dialog>
  )
}

const send = async (plan: Planned, reason: string): Promise<Planned> => {
  const { path, body, key, etag, isDone, changes } = plan
  if (isDone || changes.length === 0) return plan
  const outcome = await call({ method: 'POST', path, body: { ...body, reason }, key, etag })
  return 'failure' in outcome
    ? { ...plan, failure: outcome.failure }
    : { ...plan, isDone: true, failure: undefined }
}

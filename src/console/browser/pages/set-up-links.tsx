import { useState } from 'preact/hooks'
import { setupLinkService } from '../../../transport/wire.js'
import { mount } from '../api.js'
import { CopyButton, Flag, Opener } from '../button.js'
import { DateInput, endOfDay } from '../dates.js'
import { Dialog } from '../dialog.js'
import { TextField } from '../form.js'
import { List, useList } from '../list.js'
import { FailureNotice } from '../notice.js'
import * as types from '../object-types.js'
import { usePermission } from '../permissions.js'
import type { ListSpec } from '../rows.js'
import { settings } from '../settings.js'
import { fieldName, texts } from '../texts.js'
import { useWrite } from '../write.js'

const SETUP_LINKS: ListSpec = {
  label: texts.setupLinks,
  type: types.setupLink,
  operation: setupLinkService.listSetupLinks,
  columns: ['linkId', 'intents', 'state', 'expiresAt', 'note'],
  filters: ['note', 'linkId'],
}

/** The links of the organization, and making one. */
export const SetupLinks = () => {
  const query = useList(SETUP_LINKS)
  const mayIssue = usePermission(types.setupLink.permission)
  const issuing = (close: () => void) => {
    const closed = () => {
      close()
      query.reload()
    }
    return <IssueDialog close={closed} />
  }
  return (
    <article>
      <section>
        <header>
          <h1>{texts.setupLinks}</h1>
          {mayIssue && settings.setUpPath && (
            <Opener text={texts.setUp.issue} look="primary" dialog={issuing} />
          )}
        </header>
        <p>{texts.setUp.issueAbout}</p>
        <List list={SETUP_LINKS} query={query} />
      </section>
    </article>
  )
}

const WEEK = 7 * 24 * 60 * 60 * 1000

/** Chooses what a link is for, then shows it once. */
const IssueDialog = ({ close }: { readonly close: () => void }) => {
  const { send, failure, isBusy } = useWrite()
  const [intents, setIntents] = useState<readonly string[]>(Object.keys(texts.intents))
  const [expiresAt, setExpiresAt] = useState(endOfDay(new Date(Date.now() + WEEK)))
  const [note, setNote] = useState('')
  const [url, setUrl] = useState('')
  const toggle = (intent: string) =>
    setIntents(
      intents.includes(intent) ? intents.filter((each) => each !== intent) : [...intents, intent],
    )
  const issue = async () => {
    const values = { intents, expiresAt, note: note.trim() || undefined }
    const issued = await send(setupLinkService.issueSetupLink, values)
    if (issued) setUrl(urlOf(String(issued['token'])))
  }
  return (
    <Dialog
      title={texts.setUp.issue}
      close={close}
      submit={issue}
      leave={url ? texts.close : texts.cancel}
      {...(!url && {
        done: { text: texts.setUp.issue, isOff: isBusy || intents.length === 0 || !expiresAt },
      })}
    >
      {url ? (
        <div role="status">
          <p>{texts.setUp.made}</p>
          <p>
            <code class="link">{url}</code> <CopyButton text={url} />
          </p>
        </div>
      ) : (
        <>
          <fieldset class="kinds">
            <legend>{fieldName('intents')}</legend>
            {Object.entries(texts.intents).map(([intent, name]) => (
              <Flag key={intent} isOn={intents.includes(intent)} change={() => toggle(intent)}>
                {name}
              </Flag>
            ))}
          </fieldset>
          <p>
            <DateInput text={texts.setUp.until} at={expiresAt} change={setExpiresAt} />
          </p>
          <TextField
            label={fieldName('note')}
            hint={texts.setUp.noteHint}
            isOptional
            value={note}
            change={setNote}
          />
        </>
      )}
      {failure && <FailureNotice failure={failure} />}
    </Dialog>
  )
}

/** The link for a token, which stands in the part of a URL that browsers do not send. */
const urlOf = (token: string): string => {
  const prefix = mount.pathname.slice(0, mount.pathname.length - settings.basePath.length - 1)
  return new URL(`${prefix}${settings.setUpPath}/#${token}`, mount).href
}

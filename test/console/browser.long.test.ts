import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeViolations, hasChromium } from '../chromium.js'
import { context } from './host.js'
import { type OpenConsole, openConsole } from './open-console.js'
import { fillRealistic, PEOPLE, REALISTIC } from './realistic.js'

const PAGES = [
  '',
  'projects',
  'project?id=portal',
  'role?projectId=portal&roleKey=billing%2Fadmin',
  'project-grant?projectId=portal&grantedOrgId=globex',
  'users',
  'user?userId=anna',
  'user-grant?userId=anna&projectId=portal&projectOrgId=acme',
  'providers',
  'provider?idpId=google',
  'domains',
  'domain?domain=acme.example',
  'set-up',
  'setup-links',
  'timeline',
  'matrix?projectId=portal',
  'review?projectId=portal',
  'plan',
  'nothing',
  'mappings',
  'mapping?idpId=google&group=Finance&projectId=invoicing&projectOrgId=acme',
  'membership?idpId=google&userId=newcomer',
  'user?userId=newcomer',
  `user?userId=${PEOPLE[2]?.id}`,
  'matrix?projectId=invoicing',
  'matrix?projectId=invoicing&userId=nobody-yet',
  'review?projectId=invoicing',
  'review?projectId=invoicing&since=2020-01-01T00:00:00.000Z',
  'timeline?projectId=invoicing',
]

describe.runIf(hasChromium())('the console in Chromium', () => {
  let opened: OpenConsole
  let page: Page
  const open = (path: string, who?: string) => opened.open(path, who)

  beforeAll(async () => {
    // Thirty users with names and twelve roles, beside what the other tests have.
    opened = await openConsole(REALISTIC, fillRealistic)
    page = opened.page
  })
  afterAll(() => opened?.close())

  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  /** That nothing is cut off; for axe, light where it is wide and dark where it is narrow. */
  const holds = async () => {
    for (const [colorScheme, ...widths] of [
      ['light', 360, 1000, 2000],
      ['dark', 2000, 1000, 360],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 })
        expect(await overflow()).toBeLessThanOrEqual(0)
      }
      expect(await axeViolations(page)).toEqual([])
    }
  }

  it.each(PAGES)(
    'shows /%s at three widths in both schemes, without a violation of axe',
    async (path) => {
      await open(path)
      await holds()
      expect(await page.locator('[role=alert]').count()).toBe(0)
      expect(opened.complaints).toEqual([])
    },
  )

  const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click()
  const STATES: Readonly<Record<string, () => Promise<unknown>>> = {
    'a form that was refused': async () => {
      await open('providers')
      await press('Add')
      await press('Preview')
      await page.getByText('must not be empty').first().waitFor()
    },
    'a conflict': async () => {
      await open('project?id=portal')
      await press('Edit')
      await page.getByLabel('Name').fill('Other')
      await opened.host.iam.projects.patch({ id: 'portal', name: 'Theirs' }, context())
      await press('Preview')
      await page
        .getByText('Olivia Chen has changed the same')
        .or(page.getByText('olivia has changed the same'))
        .waitFor()
    },
    'a tested provider': async () => {
      await open('provider?idpId=google')
      await press('Run the test')
      await page.getByText('The provider rejects client id or secret.').waitFor()
    },
    'the reasons of a role': async () => {
      await open('matrix?projectId=portal')
      await page.getByRole('button', { name: 'inactive' }).click()
      await page.getByText('The roles of the user are inactive.').waitFor()
    },
    'roles to give, and users to pick': async () => {
      await open('users')
      await press('Give roles')
      // The page behind the dialog has a choice of projects, too.
      const dialog = page.getByRole('dialog')
      const users = page.getByRole('combobox', { name: 'To' })
      await users.fill('Anna')
      await page.getByRole('option', { name: 'Anna Berger' }).click()
      await dialog.getByRole('combobox', { name: 'Project' }).fill('Invoicing')
      await dialog.getByRole('option', { name: 'Invoicing' }).click()
      await page.getByRole('checkbox', { name: /^Dunning/ }).check()
      await users.fill('Ben')
      await page.getByRole('option', { name: 'Ben Okafor' }).waitFor()
    },
    'a role of a user to be changed': async () => {
      await open('matrix?projectId=invoicing')
      await page.getByRole('button', { name: 'Carla Mendes, Approver: counts' }).click()
      await page.getByText('it counts.').waitFor()
      await page.getByText('Based on these changes').click()
    },
    'who loses a role': async () => {
      await open('role?projectId=invoicing&roleKey=approver')
      await page.locator('.more > summary').click()
      await press('Remove')
      await page.getByText(/Users lose [\d,]+ roles:/).waitFor()
    },
    'everything to be taken': async () => {
      await open(`user?userId=${PEOPLE[2]?.id}`)
      await press('Remove all roles')
      await page.getByRole('dialog').getByText('Bank accounts').waitFor()
    },
    'a plan': async () => {
      await open('plan')
      await page.getByLabel('Desired state').fill('{"projects":[{"id":"new","name":"New"}]}')
      await press('Show the plan')
      await page.getByText('Not declared').click()
    },
    'all refused': () => open('', 'nobody'),
    'an empty organization': () => open('users', 'globex'),
    'hostile names': () => open('timeline', 'globex'),
  }

  it.each(Object.keys(STATES))(
    'shows %s at three widths in both schemes, without a violation of axe',
    async (state) => {
      await STATES[state]?.()
      await opened.settled()
      await holds()
      expect(opened.complaints).toEqual([])
    },
  )
})

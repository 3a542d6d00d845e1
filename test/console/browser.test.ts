import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../transport/clients/chromium.js'
import { type OpenConsole, openConsole } from './open-console.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

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
  'timeline',
  'matrix?projectId=portal',
  'review?projectId=portal',
  'plan',
]

describe.runIf(hasChromium())('the console in Chromium', () => {
  let opened: OpenConsole
  let page: Page
  const open = (path: string, who?: string) => opened.open(path, who)

  beforeAll(async () => {
    opened = await openConsole()
    page = opened.page
  })
  afterAll(() => opened?.close())

  it.each(PAGES)(
    'shows /%s at three widths in both schemes, without a violation of axe',
    async (path) => {
      await open(path)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        for (const width of [360, 1000, 2000]) {
          await page.setViewportSize({ width, height: 800 })
          const overflow = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          )
          expect(overflow).toBeLessThanOrEqual(0)
        }
        // By the protocol of the browser, which no policy of the page keeps out.
        await page.evaluate(axe)
        const violations = await page.evaluate(async () => {
          const { axe: checker } = globalThis as unknown as {
            axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
          }
          const { violations } = await checker.run()
          return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
        })
        expect(violations).toEqual([])
      }
      expect(await page.locator('[role=alert]').count()).toBe(0)
      expect(opened.complaints).toEqual([])
    },
  )
})

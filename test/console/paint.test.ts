import { expect, it } from 'vitest'
import { coloursOf, contrast } from '../../src/console/browser/paint.js'

const parts = (text: string) =>
  [...text.matchAll(/rgb\((\d+) (\d+) (\d+)\)/g)].map(
    ([, red, green, blue]) => [Number(red), Number(green), Number(blue)] as const,
  )

it.each(['#0b6e4f', '#ffff00', '#000000', '#ffffff', '#2456c8', '#ff7f50'])(
  'makes links of %s that can be read on light and dark pages',
  (accent) => {
    const [onLight, onDark] = parts(coloursOf(accent)['--link'] ?? '')
    if (!onLight || !onDark) throw new Error('There are two colours')
    for (const pane of [
      [255, 255, 255],
      [246, 248, 250],
    ] as const)
      expect(contrast(onLight, pane)).toBeGreaterThanOrEqual(4.5)
    for (const pane of [
      [20, 23, 28],
      [28, 33, 40],
    ] as const)
      expect(contrast(onDark, pane)).toBeGreaterThanOrEqual(4.5)
  },
)

it('keeps a colour that can be read, and writes on it in black or white', () => {
  expect(coloursOf('#0b6e4f')).toMatchObject({ '--on-primary': '#fff' })
  expect(coloursOf('#0b6e4f')['--link']).toContain('rgb(11 110 79)')
  expect(coloursOf('#ffdd00')).toMatchObject({ '--on-primary': '#000' })
})

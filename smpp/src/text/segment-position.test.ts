import { expect, test } from 'vitest'
import { choosePosition, positionFromSar } from './segment-position.ts'

test('three sar_ parameters give the position of a segment', () => {
  expect(positionFromSar({ reference: 65_535, total: 2, sequence: 1 })).toEqual({
    position: { carrier: 'sar', reference: 65_535, total: 2, sequence: 1 },
    flags: [],
  })
})

test('without sar_ parameters there is no flag; one or two are flagged and ignored', () => {
  const none = { reference: undefined, total: undefined, sequence: undefined }
  expect(positionFromSar(none)).toEqual({ position: undefined, flags: [] })
  for (const some of [{ reference: 1 }, { total: 2, sequence: 1 }, { reference: 1, total: 2 }]) {
    expect(positionFromSar({ ...none, ...some })).toEqual({ position: undefined, flags: ['sar_incomplete'] })
  }
})

test.each([
  [0, 0],
  [3, 0],
  [3, 5],
  [256, 1],
])('a total of %i with sequence %i is out of range', (total, sequence) => {
  expect(positionFromSar({ reference: 1, total, sequence })).toEqual({
    position: undefined,
    flags: ['part_out_of_range'],
  })
})

test('the header wins over the sar_ parameters and a difference is flagged', () => {
  const udh = { carrier: 'udh8', reference: 1, total: 2, sequence: 1 } as const
  const sar = { ...udh, carrier: 'sar' } as const
  expect(choosePosition(udh, sar)).toEqual({ position: udh, flags: [] })
  expect(choosePosition(udh, { ...sar, sequence: 2 })).toEqual({ position: udh, flags: ['sar_udh_disagree'] })
  expect(choosePosition(undefined, sar)).toEqual({ position: sar, flags: [] })
  expect(choosePosition(undefined, undefined)).toEqual({ position: undefined, flags: [] })
})

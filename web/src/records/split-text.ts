// The split of the open cycle, in the same words on the Dashboard and on the Payment page.
import type { weekSchema } from '@tollgate/contract/records.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import type { z } from 'zod'
import { formatCount, formatUsdt } from '../format/money.ts'

type Week = z.infer<typeof weekSchema>

/** Bill and payouts, which are what was earned; then what is held and what came late. */
export function splitText({ bill, payouts, earned, held, late }: Week): string {
  const sentences = [
    `Earned by SMS: ${formatUsdt(bill.amountUsd)} in the bill + ${formatUsdt(payouts.amountUsd)} in payouts = ${formatUsdt(earned.amountUsd)}.`,
  ]
  if (held.count > 0)
    sentences.push(`${formatCount(held.count)} SMS of ${formatUsdt(held.amountUsd)} are held, in neither.`)
  if (late !== null && late.count > 0) {
    const isWorth = (parseMicro(late.amountUsd) ?? 0n) > 0n
    sentences.push(
      `${formatCount(late.count)} SMS${isWorth ? ` of ${formatUsdt(late.amountUsd)}` : ''} came late, from before this period, and count in it.`,
    )
  }
  return sentences.join(' ')
}

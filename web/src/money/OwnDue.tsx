// What a client is owed, in sum and by how far its payment is: the same words on its home and on its Payment page.
import { payableRoutes, type OwnDue } from '@tollgate/contract/payment-runs/payables.ts'
import type { DueState } from '@tollgate/contract/vocabulary.ts'
import { useApiQuery } from '../api/use-api.ts'
import { formatDay } from '../format/dates.ts'
import { formatUsdt } from '../format/money.ts'
import { t } from '../language/t.ts'
import { moneyPollMs } from './queries.ts'

export function useOwnDue() {
  return useApiQuery(payableRoutes.getOwnDue, {}, { refetchIntervalMs: moneyPollMs })
}

const stateWords: Readonly<Record<DueState, (day: string) => string>> = {
  drafted: (day) => t('in a payment run since {day}, waits for approval', { day }),
  approved: (day) => t('in a payment run since {day}, approved, not sent yet', { day }),
  exported: (day) => t('in a payment run since {day}, its transfer is expected', { day }),
  confirming: () => t('a payment is being checked on the chain'),
  approve: () => t('a payment waits for a second person'),
  pay: (day) => t('can be paid now, owed since {day}', { day }),
  not_yet: (day) => t('can be paid from {day}', { day }),
  no_address: () => t('waits for your USDT address'),
  review: () => t('withheld, support looks at it'),
}

/** One line for each state, with its amount where there are several. */
export function DueStates({ due: { parts, count } }: { readonly due: OwnDue }) {
  if (count === 0) return t('nothing is owed from closed periods')
  return parts.map(({ state, dueAmount, at }) => {
    const words = stateWords[state](formatDay(at))
    return (
      <span key={state} className="block">
        {parts.length === 1 ? words : t('{amount}: {state}', { amount: formatUsdt(dueAmount), state: words })}
      </span>
    )
  })
}

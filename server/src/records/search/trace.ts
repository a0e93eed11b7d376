// The words in which a search explains its steps.
import type { Condition } from '../query/condition.ts'
import type { LeadingIndex } from './walk-index.ts'

/** Receives one line for each step of a search. */
export type SearchTrace = (line: string) => void

export const ignoreTrace: SearchTrace = () => undefined

export const leadNames: Record<LeadingIndex['by'], string> = {
  time: 'time (records_pkey)',
  unowned: 'no client (records_client_idx)',
  tests: 'test messages (records_test_idx)',
  clientIds: 'client (records_client_idx)',
  statuses: 'open status (records_open_idx)',
  clientStatuses: 'client and open status (records_client_open_idx)',
}

export function dayOf(time: Date | undefined): string {
  return time?.toISOString().slice(0, 10) ?? 'any day'
}

/** A condition in words: its fields, and how many ids each has. */
export function describe(condition: Condition): string {
  const { from, to, spans, statuses, sender, search } = condition
  const lists = { client: condition.clientIds, range: condition.rangeIds, gateway: condition.gatewayIds }
  const words = [
    ...(from === undefined ? [] : [`from ${from.toISOString()}`]),
    ...(to === undefined ? [] : [`before ${to.toISOString()}`]),
    ...(spans === undefined ? [] : [`within ${countPhrase(spans.length, 'span')} of time`]),
    ...(condition.numberIds === undefined ? [] : [countPhrase(condition.numberIds.length, 'number')]),
    ...Object.entries(lists).flatMap(([name, ids]) =>
      ids === undefined ? [] : [`${name} id ${ids.join(', ')}`],
    ),
    ...(statuses === undefined ? [] : [`status code ${statuses.join(', ')}`]),
    ...(condition.isUnowned === true ? ['held by nobody'] : []),
    ...(condition.isTest === undefined ? [] : [condition.isTest ? 'sent as a test' : 'not sent as a test']),
    ...(condition.settling === undefined ? [] : ['a cycle, rate, settlement or hold']),
    ...(sender === undefined ? [] : [`source address contains "${sender}"`]),
    ...(search === undefined
      ? []
      : [
          `search box: ${countPhrase(search.numberIds.length, 'number')}, ${countPhrase(search.clientIds.length, 'client')}` +
            (search.sender === undefined ? '' : `, source address contains "${search.sender}"`),
        ]),
  ]
  return words.length === 0 ? 'every record' : words.join(', ')
}

export function countPhrase(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

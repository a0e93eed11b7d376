// Whether a record from the live feed matches the filters on screen: the server's filters, applied in the browser.
import { normaliseNumber, searchedDigits } from '@tollgate/contract/fields.ts'
import type { RecordFilters, SmsRecord } from '@tollgate/contract/records/records.ts'
import { timeSpans } from '@tollgate/contract/records/time-of-day.ts'
import { activityStatuses, type RecordStatus } from '@tollgate/contract/vocabulary.ts'
import { dayStart } from '@tollgate/contract/zones.ts'

function hasStatus(record: SmsRecord, status: RecordFilters['status']): boolean {
  if (status === undefined || status === 'all' || status === record.status) return true
  const group: readonly RecordStatus[] | undefined = Object.hasOwn(activityStatuses, status)
    ? activityStatuses[status as keyof typeof activityStatuses]
    : undefined
  return group?.includes(record.status) ?? false
}

/** `search` matches number, client and source address. A number may be typed in groups. */
function isFound(record: SmsRecord, search: string | undefined): boolean {
  const text = search?.trim().toLowerCase() ?? ''
  if (text === '') return true
  const digits = searchedDigits(text)
  return (
    (digits !== undefined && record.phoneNumber.includes(digits)) ||
    record.client.toLowerCase().includes(text) ||
    record.sender.toLowerCase().includes(digits ?? text)
  )
}

function isOneOf(value: string, filter: string | undefined): boolean {
  return filter === undefined || filter === '' || filter === 'all' || value === filter
}

/** Whether a person sent it to try the way of a message: nothing else comes from the source `api`. */
export function isTest({ source }: Pick<SmsRecord, 'source'>): boolean {
  return source === 'api'
}

const serverFilters = [
  'country',
  'period',
  'rate',
  'rateId',
  'settlement',
  'hold',
  'late',
  'unowned',
  'correction',
] as const

function hasSender({ sender }: SmsRecord, text: string | undefined): boolean {
  const part = text?.trim().toLowerCase() ?? ''
  return sender.toLowerCase().includes(searchedDigits(part) ?? part)
}

function isWithin({ createdAt }: SmsRecord, filters: RecordFilters): boolean {
  const at = new Date(createdAt)
  const spans = timeSpans(filters, new Date())
  if (spans !== undefined) return spans.some(({ from, to }) => at >= from && at < to)
  const { dateFrom, dateTo, zone, hour } = filters
  return (
    (dateFrom === undefined || at >= dayStart(dateFrom, zone)) &&
    (dateTo === undefined || at < dayStart(dateTo, zone, 1)) &&
    (hour === undefined || createdAt.startsWith(hour))
  )
}

/** Whether `record` matches the filters. Both ends of its days are included. */
export function matchesFilters(record: SmsRecord, filters: RecordFilters): boolean {
  const { number } = filters
  // Only the server knows these: the feed tells neither how a record settles nor its country: such a list is complete once it is fetched again.
  if (serverFilters.some((name) => filters[name] !== undefined)) return false
  return (
    hasStatus(record, filters.status) &&
    isWithin(record, filters) &&
    isOneOf(String(isTest(record)), filters.test) &&
    isOneOf(record.client.toLowerCase(), filters.client?.toLowerCase()) &&
    isOneOf(record.range, filters.range) &&
    isOneOf(record.gateway, filters.gateway) &&
    hasSender(record, filters.sender) &&
    isOneOf(
      normaliseNumber(record.phoneNumber),
      number === undefined ? undefined : normaliseNumber(number),
    ) &&
    isFound(record, filters.search)
  )
}

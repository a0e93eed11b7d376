// The rows of the palette for a query: pages, single objects, a search in the records, and actions.
import type { Found, FoundKind } from '@tollgate/contract/objects/objects.ts'
import { settingNames } from '@tollgate/contract/settings/setting-names.ts'
import { settingName } from '../format/setting-name.ts'
import { shortenForStaff } from '../format/shorten.ts'
import { objectPath, recordsPath, paths } from '../paths.ts'
import type { ConsolePage } from './console-page.ts'
import { t } from '../language/t.ts'

export interface PaletteRow {
  readonly id: string
  readonly group: string
  readonly label: string
  /** What tells it from others of that name. */
  readonly detail?: string
  readonly run: () => void
}

interface PaletteInput {
  readonly query: string
  /** What the server found. */
  readonly found: readonly Found[]
  /** Whether the viewer has the lists of staff. */
  readonly isStaff: boolean
  /** The pages that the person may see. */
  readonly pages: readonly ConsolePage[]
  readonly go: (href: string) => void
  /** Whether the viewer may change settings. */
  readonly maySet: boolean
  readonly actions: readonly { readonly label: string; readonly run: () => void }[]
}

/** Whether `text` contains all letters of `query` in that order: "pm" finds "Payment Management". */
function isMatch(text: string, query: string): boolean {
  const letters = text.toLowerCase()
  let from = 0
  for (const letter of query.toLowerCase().replace(/\s/g, '')) {
    from = letters.indexOf(letter, from) + 1
    if (from === 0) return false
  }
  return true
}

const groupNames: Readonly<Record<FoundKind, string>> = {
  person: t('People'),
  number: t('Numbers'),
  range: t('Ranges'),
  connection: t('Connections'),
  provider: t('Providers'),
  endpoint: t('Endpoints'),
  bill: t('Bills'),
  payment: t('Payments'),
  transfer: t('Transfers'),
  record: t('Records'),
  hold: t('Holds'),
}

/** Where an object is shown: on its own page, or in the list that has everything about it. */
function hrefOf({ kind, id, title, periodId }: Found, isStaff: boolean): string {
  if (kind === 'record') return recordsPath({ open: id })
  if (kind === 'hold') return `${paths.paymentManagement}?tab=review&hold=all&held=%23${id}`
  if (kind === 'transfer') return `${paths.paymentManagement}?tab=history&list=transfers&transferText=${id}`
  if (kind !== 'payment') return objectPath(kind, id)
  if (periodId !== '') return objectPath('bill', periodId)
  return isStaff ? `${paths.paymentManagement}?tab=history&text=${title}` : `${paths.payment}?tab=account`
}

// Shorter texts match too many records.
const searchLengthMin = 3

// In any form that a supplier gets: letters and digits, a digit among the first eight.
const messageId = /^(?=.{0,7}\d)[0-9A-Za-z]{8,64}$/

/** The palette's rows, best first. */
export function paletteRows({
  query,
  found,
  isStaff,
  pages,
  go,
  maySet,
  actions,
}: PaletteInput): readonly PaletteRow[] {
  const text = query.trim()
  const starts = (title: string) => Number(title.toLowerCase().startsWith(text.toLowerCase()))
  const shown = pages
    .filter((page) => !page.path.includes('$') && isMatch(page.title, text))
    .toSorted((a, b) => starts(b.title) - starts(a.title))
    .map((page): PaletteRow => ({
      id: page.path,
      group: t('Pages'),
      label: page.title,
      run: () => go(page.path),
    }))
  const canSearch = text.length >= searchLengthMin && pages.some((page) => page.path === paths.records)
  const search: PaletteRow[] = canSearch
    ? [
        {
          id: 'search-records',
          group: t('Search'),
          label: t('Find “{text}” in SMS Records', { text }),
          run: () => go(recordsPath({ search: text })),
        },
      ]
    : []
  const mayAsk = messageId.test(text) && pages.some((page) => page.path === paths.smppTraffic)
  if (mayAsk)
    search.push({
      id: 'search-sent',
      group: t('Search'),
      label: t('Find “{text}” among the messages that you sent', { text }),
      run: () => go(`${paths.smppTraffic}?id=${text}`),
    })
  const named = namedRows(text, { isStaff, go })
  const settings = maySet && text.length >= searchLengthMin ? settingRows(text, go) : []
  const matching = actions
    .filter((act) => isMatch(act.label, text))
    .map((act): PaletteRow => ({ id: act.label, group: t('Acts'), ...act }))
  const objects = found.map((each): PaletteRow => ({
    id: `${each.kind} ${each.id}`,
    group: groupNames[each.kind],
    label: each.kind === 'payment' || each.kind === 'transfer' ? shortenForStaff(each.title) : each.title,
    detail: each.detail,
    run: () => go(hrefOf(each, isStaff)),
  }))
  // A page by the beginning of its name is meant more often than an object; by some letters of it, less often.
  const isNamed = text === '' || shown.some(({ label }) => starts(label) === 1)
  const first = isNamed ? [...shown, ...objects] : [...objects, ...shown]
  return [...named, ...first, ...search, ...matching, ...settings]
}

/** What a person names by its kind and number: 'bill 3-5', 'run 2'. */
function namedRows(text: string, { isStaff, go }: Pick<PaletteInput, 'isStaff' | 'go'>): PaletteRow[] {
  const [, bill] = /^(?:bill|invoice)\s*#?(\d{1,9}-\d{1,9})$/i.exec(text) ?? []
  if (bill !== undefined)
    return [
      {
        id: `bill-${bill}`,
        group: groupNames.bill,
        label: t('Bill {id}', { id: bill }),
        run: () => go(objectPath('bill', bill)),
      },
    ]
  const [, run] = /^(?:payment\s+)?run\s*#?(\d{1,9})$/i.exec(text) ?? []
  if (run === undefined || !isStaff) return []
  return [
    {
      id: `run-${run}`,
      group: groupNames.payment,
      label: t('Payment run {id}', { id: run }),
      run: () => go(`${paths.paymentManagement}?tab=runs&run=${run}`),
    },
  ]
}

/** The settings whose names have all of the words. */
function settingRows(text: string, go: PaletteInput['go']): PaletteRow[] {
  const words = text.toLowerCase().split(/\s+/)
  return Object.keys(settingNames)
    .map((key) => [key, settingName(key)] as const)
    .filter(([, name]) => words.every((word) => name.toLowerCase().includes(word)))
    .map(([key, name]) => ({
      id: `setting-${key}`,
      group: t('Settings'),
      label: name,
      run: () =>
        go(
          key === 'global_sms_rate' ? paths.adminSettings : `${paths.adminSettings}?tab=settings&find=${key}`,
        ),
    }))
}

import type { ImportReport } from '@tollgate/contract/numbers/numbers.ts'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatCount, formatTariff } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { formatWords } from '../../format/sentences.ts'
import { StatusBadge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { saveCsv } from '../../ui/save-csv.ts'
import { t } from '../../language/t.ts'
import { counted } from '../../format/counted.ts'

/** Spec §7: the column titles of the file, by their names in the API. */
const columnLabels: Readonly<Record<string, string>> = {
  number: t('Number'),
  description: t('Description'),
  rate: t('Rate'),
  status: t('Status'),
  country: t('Country'),
  countryCode: t('Country Code'),
  client: t('Client'),
}

const lines = (count: number): string => counted(count, '1 line', '{count} lines')

/** Saves the faulty lines as a file, for the person who corrects them. */
function downloadFaults({ faults }: ImportReport): void {
  const rows = faults.flatMap((fault) =>
    fault.problems.map((problem) => [
      fault.line,
      fault.number,
      columnLabels[problem.field] ?? problem.field,
      formatWords(problem.words ?? problem.message),
    ]),
  )
  saveCsv('import-faults.csv', 'Line,Number,Field,Problem', rows)
}

/**
 * The result of a check: the number of lines, the faulty ones with reasons, and how the first lines were understood.
 */
export function ImportReportView({ report }: { report: ImportReport }) {
  const hasFaults = report.faultCount > 0
  return (
    <div className="space-y-4" aria-live="polite">
      {hasFaults ? (
        <Notice
          tone="bad"
          title={t('{faultCount} of {lineCount} cannot be imported', {
            faultCount: formatCount(report.faultCount),
            lineCount: lines(report.lineCount),
          })}
        >
          {t('Nothing was imported: either all lines are imported or none. Fix these and check again.')}
        </Notice>
      ) : (
        <Notice
          tone="ok"
          title={t('{lineCount} read, all can be imported', { lineCount: lines(report.lineCount) })}
        >
          {t('Nothing has been imported yet.')}
        </Notice>
      )}
      {hasFaults && <FaultTable report={report} />}
      {report.warningCount > 0 && <WarningTable report={report} />}
      {report.preview.length > 0 && <PreviewTable report={report} />}
    </div>
  )
}

// More would not be read. The saved file has all of them.
const shownFaultsMax = 200

function FaultTable({ report }: { report: ImportReport }) {
  const shown = report.faults.slice(0, shownFaultsMax)
  return (
    <section aria-label={t('Faulty lines')} className="space-y-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-md font-semibold">{t('Faulty lines')}</h3>
        <Button size="sm" icon={Download} onClick={() => downloadFaults(report)}>
          {t('Save faults as CSV')}
        </Button>
      </div>
      <SmallTable heads={[t('Line'), t('Number'), t('Field'), t('Problem')]} label={t('Faulty lines')}>
        {shown.flatMap((fault) =>
          fault.problems.map((problem, index) => (
            <tr key={`${fault.line}:${problem.field}:${problem.message}`} className="align-top">
              <Cell>{index === 0 && <span className="font-mono">{fault.line}</span>}</Cell>
              <Cell>{index === 0 && <span className="font-mono">{fault.number}</span>}</Cell>
              <Cell>{columnLabels[problem.field] ?? problem.field}</Cell>
              <td className="border-b border-line px-2.5 py-1.5 text-bad-ink">
                {formatWords(problem.words ?? problem.message)}
              </td>
            </tr>
          )),
        )}
      </SmallTable>
      {report.faultCount > shown.length && (
        <p className="text-xs text-ink-3">
          {t('The first {count} of {faultCount} are shown.', {
            count: formatCount(shown.length),
            faultCount: formatCount(report.faultCount),
          })}
        </p>
      )}
    </section>
  )
}

function WarningTable({ report }: { report: ImportReport }) {
  const title = t('Countries that differ from the digits')
  return (
    <section aria-label={title} className="space-y-2">
      <Notice
        tone="warn"
        title={counted(
          report.warningCount,
          '1 line has another country than its number',
          '{count} lines have another country than their number',
        )}
      >
        {report.warningCount === 1
          ? t('It can be imported as it is. Look at it first.')
          : t('They can be imported as they are. Look at them first.')}
      </Notice>
      <SmallTable heads={[t('Line'), t('Number'), t('What differs')]} label={title}>
        {report.warnings.map(({ line, number, message, words }) => (
          <tr key={line} className="align-top">
            <Cell>
              <span className="font-mono">{line}</span>
            </Cell>
            <Cell>
              <span className="phone-number">{formatPhone(number)}</span>
            </Cell>
            <td className="border-b border-line px-2.5 py-1.5 text-warn-ink">
              {formatWords(words ?? message)}
            </td>
          </tr>
        ))}
      </SmallTable>
      {report.warningCount > report.warnings.length && (
        <p className="text-xs text-ink-3">
          {t('The first {count} of {faultCount} are shown.', {
            count: formatCount(report.warnings.length),
            faultCount: formatCount(report.warningCount),
          })}
        </p>
      )}
    </section>
  )
}

function PreviewTable({ report }: { report: ImportReport }) {
  const hasClients = report.preview.some(({ client }) => client !== '')
  return (
    <section aria-label={t('Preview')} className="space-y-2">
      <h3 className="text-md font-semibold">{t('Preview')}</h3>
      <SmallTable
        heads={[
          t('Number'),
          t('Description'),
          t('Rate'),
          t('Status'),
          t('Country'),
          t('Country Code'),
          ...(hasClients ? [t('Client')] : []),
        ]}
        label={t('How the first lines were read')}
      >
        {report.preview.map((row, index) => (
          // A file may contain a number twice, so the index is the key.
          // eslint-disable-next-line react/no-array-index-key
          <tr key={index}>
            <Cell>
              <span className="phone-number">{formatPhone(row.number)}</span>
            </Cell>
            <Cell>{row.description}</Cell>
            <Cell>
              {row.rate === '' ? (
                <span className="text-ink-3">{t('of its range')}</span>
              ) : (
                formatTariff(row.rate)
              )}
            </Cell>
            <Cell>
              <StatusBadge kind="account" status={row.status} />
            </Cell>
            <Cell>{row.country}</Cell>
            <Cell>{row.countryCode}</Cell>
            {hasClients && <Cell>{row.client}</Cell>}
          </tr>
        ))}
      </SmallTable>
    </section>
  )
}

interface SmallTableProps {
  readonly heads: readonly string[]
  readonly label: string
  readonly children: ReactNode
}

function SmallTable({ heads, label, children }: SmallTableProps) {
  return (
    <div
      // A scrolling area must be reachable by keyboard.
      tabIndex={0}
      role="region"
      aria-label={label}
      className="max-h-56 overflow-auto rounded-lg border border-line"
    >
      <table className="w-full border-separate border-spacing-0 text-xs">
        <thead>
          <tr>
            {heads.map((head) => (
              <th
                key={head}
                scope="col"
                className="sticky top-0 border-b border-line bg-surface-2 px-2.5 py-1.5 text-start font-medium whitespace-nowrap text-ink-3"
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

function Cell({ children }: { children: ReactNode }) {
  return <td className="border-b border-line px-2.5 py-1.5 whitespace-nowrap">{children}</td>
}

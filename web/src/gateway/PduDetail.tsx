// One recorded PDU: its octets coloured by field, and its decoded fields. Visual language §12.
import type { FlightPdu } from '@tollgate/contract/gateway/flight-recorder.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { classNames } from '../ui/class-names.ts'
import { phoneQuery, useMediaQuery } from '../ui/use-media-query.ts'
import { t } from '../language/t.ts'

const headerFields = new Set(['command_length', 'command_id', 'command_status', 'sequence_number'])

function colourOf(name: string): string {
  if (headerFields.has(name)) return 'text-info-ink'
  if (name === 'source_addr') return 'text-warn-ink'
  if (name === 'destination_addr' || name === 'destinations') return 'text-accent-ink'
  return 'text-ink'
}

interface Octet {
  /** Two digits, or two dots if it is hidden. */
  readonly hex: string
  readonly colour: string
}

function octetsOf({ fields }: FlightPdu): Octet[] {
  return fields.flatMap(({ name, hex }) =>
    (hex.match(/../g) ?? []).map((octet) => ({
      hex: octet,
      colour: octet === '··' ? 'text-ink-3' : colourOf(name),
    })),
  )
}

function charOf({ hex }: Octet): string {
  const code = parseInt(hex, 16)
  return code > 0x20 && code < 0x7f ? String.fromCodePoint(code) : hex === '··' ? '·' : '.'
}

function inRows(octets: readonly Octet[], perRow: number): Octet[][] {
  return Array.from({ length: Math.ceil(octets.length / perRow) }, (_, row) =>
    octets.slice(row * perRow, (row + 1) * perRow),
  )
}

const offsetOf = (row: number, perRow: number) => (row * perRow).toString(16).padStart(4, '0')

interface PduDetailProps {
  readonly pdu: FlightPdu
  /** Shows the command as a title, for use away from its line. */
  readonly hasTitle?: boolean
}

export function PduDetail({ pdu, hasTitle = false }: PduDetailProps) {
  const perRow = useMediaQuery(phoneQuery) ? 8 : 12
  const octets = octetsOf(pdu)
  const rows = inRows(octets, perRow)
  const dump = rows.map(
    (row, at) =>
      `${offsetOf(at, perRow)}  ${row.map(({ hex }) => hex).join(' ')}  ${row.map(charOf).join('')}`,
  )
  return (
    <div className="space-y-3">
      {hasTitle && (
        <h3 className="flex flex-wrap items-baseline gap-x-3 gap-y-1 font-normal text-ink-3">
          <span className="font-mono font-semibold text-ink">{pdu.command}</span>
          {pdu.answerMs !== null && t('answered in {answerMs} ms', { answerMs: pdu.answerMs })}
        </h3>
      )}
      {pdu.messageId !== '' && (
        <p className="flex items-center gap-1 text-xs text-ink-3">
          {t('Message id')}
          <span className="ms-1 min-w-0 truncate font-mono text-ink">{pdu.messageId}</span>
          <CopyButton value={pdu.messageId} what={t('message id')} />
        </p>
      )}
      {octets.length > 0 && (
        <div className="rounded-lg border border-line bg-surface-2 p-2.5">
          <div className="flex items-center justify-between pb-1 text-xs text-ink-3">
            <span>
              {octets.length < pdu.octets
                ? t('{count} octets, the first {shown} shown; texts and passwords hidden', {
                    count: pdu.octets,
                    shown: octets.length,
                  })
                : t('{count} octets; texts and passwords hidden', { count: pdu.octets })}
            </span>
            <CopyButton value={dump.join('\n')} what={t('octets')} />
          </div>
          <div
            role="group"
            aria-label={t('Octets')}
            tabIndex={0}
            className="overflow-x-auto font-mono text-xs leading-5"
          >
            {rows.map((row, at) => (
              <div key={offsetOf(at, perRow)} className="flex gap-x-3 whitespace-pre">
                <span className="text-ink-3">{offsetOf(at, perRow)}</span>
                <span style={{ minWidth: `${perRow * 3 - 1}ch` }}>
                  {row.map((octet, place) => paint(octet, place, octet.hex, ' '))}
                </span>
                <span aria-hidden="true">
                  {row.map((octet, place) => paint(octet, place, charOf(octet), ''))}
                </span>
              </div>
            ))}
          </div>
        </div>
      )}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 font-mono text-xs">
        {pdu.fields.map(({ name, value }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a PDU may hold one TLV twice, and never changes
          <div key={at} className="contents">
            <dt className={classNames('flex items-baseline gap-2', colourOf(name))}>
              <span aria-hidden="true" className="size-2 shrink-0 rounded-[2px] bg-current" />
              <span className="text-ink-2">{name}</span>
            </dt>
            <dd className="break-all">{value === '' ? '–' : value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function paint({ colour }: Octet, place: number, text: string, gap: string) {
  return (
    <span key={place} className={colour}>
      {place === 0 ? text : `${gap}${text}`}
    </span>
  )
}

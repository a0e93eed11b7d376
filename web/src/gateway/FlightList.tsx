// The recorded PDUs of a link, newest first. The chosen PDU is shown beside the list, or below its line on narrow
// screens.
import type { FlightPdu } from '@tollgate/contract/gateway/flight-recorder.ts'
import { ArrowDownLeft, ArrowUpRight } from 'lucide-react'
import { useId, useState } from 'react'
import { formatMillisecond } from '../format/dates.ts'
import { classNames } from '../ui/class-names.ts'
import { StatusIcon } from '../ui/StatusIcon.tsx'
import { dockedQuery, useMediaQuery } from '../ui/use-media-query.ts'
import { PduDetail } from './PduDetail.tsx'
import { t } from '../language/t.ts'

const columnsClass =
  'grid grid-cols-[6.5rem_1rem_1fr_auto] items-center gap-x-3 px-4 @min-[34rem]:grid-cols-[6.5rem_1rem_9.5rem_4rem_1fr_4rem]'

interface FlightListProps {
  readonly pdus: readonly FlightPdu[]
}

export function FlightList({ pdus }: FlightListProps) {
  const isDocked = useMediaQuery(dockedQuery)
  const [chosen, setChosen] = useState<FlightPdu>()
  // Under the pointer the lines do not move. New PDUs are counted and shown when the pointer leaves.
  const [held, setHeld] = useState<readonly FlightPdu[]>()
  const detailId = useId()
  const shown = held ?? pdus
  const newest = held?.[0]?.id
  const newerCount =
    newest === undefined
      ? 0
      : Math.max(
          0,
          pdus.findIndex(({ id }) => id === newest),
        )
  // The open PDU stays open when it leaves the list. Its answer may have come meanwhile.
  const open = chosen && (pdus.find(({ id }) => id === chosen.id) ?? chosen)
  return (
    <div
      className={classNames(isDocked && 'grid grid-cols-[minmax(0,7fr)_minmax(0,5fr)] divide-x divide-line')}
    >
      <div
        className="@container min-w-0"
        onPointerEnter={({ pointerType }) => pointerType === 'mouse' && setHeld(pdus)}
        onPointerLeave={() => setHeld(undefined)}
      >
        <div
          aria-hidden="true"
          className={classNames(
            columnsClass,
            'h-8.5 border-b border-line bg-surface-2 text-xs text-ink-3 @max-[34rem]:hidden',
          )}
        >
          <span>{t('Time')}</span>
          <span />
          <span>{t('Command')}</span>
          <span className="text-end">{t('Sequence')}</span>
          <span>{newerCount > 0 ? t('Status ({newerCount} newer)', { newerCount }) : t('Status')}</span>
          <span className="text-end">{t('Answer')}</span>
        </div>
        {/* Positioned, because text for screen readers would otherwise make the page longer. */}
        <ol
          aria-label={t('Recorded PDUs')}
          className="relative max-h-118 divide-y divide-line overflow-y-auto"
        >
          {shown.map((pdu) => {
            const isOpen = open?.id === pdu.id
            return (
              <li key={pdu.id}>
                <PduLine
                  pdu={pdu}
                  isOpen={isOpen}
                  detailId={detailId}
                  onClick={() => setChosen(isOpen ? undefined : pdu)}
                />
                {isOpen && !isDocked && (
                  <div id={detailId} className="px-4 pt-1 pb-3">
                    <PduDetail pdu={open} />
                  </div>
                )}
              </li>
            )
          })}
        </ol>
      </div>
      {isDocked && (
        <div id={detailId} className="min-w-0 p-4">
          {open ? (
            <PduDetail pdu={open} hasTitle />
          ) : (
            <p className="pt-8 text-center text-ink-3">{t('Choose a PDU to see its octets and fields.')}</p>
          )}
        </div>
      )}
    </div>
  )
}

interface PduLineProps {
  readonly pdu: FlightPdu
  readonly isOpen: boolean
  /** The id of the element in which the PDU opens. */
  readonly detailId: string
  readonly onClick: () => void
}

function PduLine({ pdu, isOpen, detailId, onClick }: PduLineProps) {
  const isError = pdu.status !== 0
  const Arrow = pdu.direction === 'in' ? ArrowDownLeft : ArrowUpRight
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-controls={isOpen ? detailId : undefined}
      onClick={onClick}
      className={classNames(
        columnsClass,
        'min-h-8.5 w-full gap-y-1 py-1 text-start font-mono text-xs -outline-offset-2 hover:bg-surface-3 pointer-coarse:min-h-11',
        // Marks the open line.
        isOpen && 'bg-accent-soft shadow-[inset_3px_0_0_var(--color-accent)]',
      )}
    >
      <span className="text-ink-2">{formatMillisecond(pdu.at)}</span>
      <span>
        <Arrow size={14} strokeWidth={1.6} aria-hidden="true" className="text-ink-2" />
        <span className="sr-only">{pdu.direction === 'in' ? t('received') : t('sent')}</span>
      </span>
      <span className="truncate font-semibold">{pdu.command}</span>
      <span className="text-end text-ink-2">{pdu.sequence}</span>
      <span
        className={classNames(
          'flex min-w-0 items-center gap-1.5 @max-[34rem]:col-span-3',
          isError && 'text-bad-ink',
        )}
      >
        <StatusIcon shape={isError ? 'x' : 'check'} tone={isError ? 'bad' : 'ok'} />
        <span className="truncate">{pdu.statusName === '' ? hexStatus(pdu.status) : pdu.statusName}</span>
      </span>
      <span className="text-end text-ink-2">
        {pdu.answerMs === null ? '–' : t('{answerMs} ms', { answerMs: pdu.answerMs })}
      </span>
    </button>
  )
}

function hexStatus(status: number): string {
  return `0x${status.toString(16).padStart(2, '0').toUpperCase()}`
}

import type { LongMessageView } from '@tollgate/contract/records/records.ts'
import { Link } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { t } from '../language/t.ts'

const states: Record<LongMessageView['state'], string> = {
  open: t('Waits for more parts'),
  complete: t('Complete'),
  incomplete: t('Parts are missing'),
}

/** The parts of a long message that came, each with a link to its record. */
export function LongMessageParts({ id, message }: { id: string; message: LongMessageView }) {
  const { state, total, partIds, missing } = message
  const positions = Array.from({ length: total }, (_, index) => index + 1).filter(
    (position) => !missing.includes(position),
  )
  return (
    <section className="space-y-2 border-t border-line pt-3.5">
      <header className="flex items-baseline justify-between gap-4">
        <h2 className="text-md">{t('Long message')}</h2>
        <span className={state === 'incomplete' ? 'text-warn-ink' : 'text-ink-3'}>
          {t('{state}: {count} of {total}', { state: states[state], count: partIds.length, total })}
        </span>
      </header>
      <ol className="flex max-h-24 flex-wrap gap-1.5 overflow-y-auto">
        {partIds.map((partId, index) => (
          <li key={partId}>
            {partId === id ? (
              <span
                aria-current="true"
                className="inline-flex min-w-7 justify-center rounded-xs border border-line bg-surface-2 px-1.5 font-medium"
              >
                {positions[index]}
              </span>
            ) : (
              <Link
                to={paths.records as string}
                search={{ open: partId } as never}
                aria-label={t('Part {position}', { position: positions[index] })}
                className="inline-flex min-w-7 justify-center rounded-xs border border-line px-1.5 text-accent-ink hover:underline"
              >
                {positions[index]}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

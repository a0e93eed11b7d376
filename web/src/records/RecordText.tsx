import { recordsRoutes, type RawView } from '@tollgate/contract/records/records.ts'
import { Eye } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '../api/api-error.ts'
import { useSession } from '../api/session.tsx'
import { useApiMutation } from '../api/use-api.ts'
import { alphabetLabels } from '../format/alphabets.ts'
import { hexOctet } from '../format/hex.ts'
import { Button } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { t } from '../language/t.ts'

/** The message text. It is masked until a permitted person asks for it and confirms, since it leaves an audit entry. */
export function RecordText({ id }: { id: string }) {
  const mayRead = useSession().may('textRead')
  const [isAsking, setAsking] = useState(false)
  // A mutation and not a cached query, since each reading leaves an audit entry.
  const read = useApiMutation(recordsRoutes.readRecordText, { failure: false })
  if (read.data)
    return (
      <div className="space-y-1.5 py-1">
        <p className="text-ink-3">{t('Text')}</p>
        <p className="rounded-md border border-line bg-surface-2 px-3 py-2 whitespace-pre-wrap" dir="auto">
          {read.data.text === '' ? (
            <span className="text-ink-3">{t('The message has no text.')}</span>
          ) : (
            read.data.text
          )}
        </p>
        <p className="text-xs text-ink-3">
          {[read.data.encoding, ...read.data.flags].filter((word) => word !== '').join(' · ')}
        </p>
        <RawOctets raw={read.data.raw} />
        {read.data.whole && (
          <>
            <p className="text-ink-3">
              {t('The whole message ({parts} of {total} parts)', {
                parts: read.data.whole.parts,
                total: read.data.whole.total,
              })}
            </p>
            <p
              className="rounded-md border border-line bg-surface-2 px-3 py-2 whitespace-pre-wrap"
              dir="auto"
            >
              {read.data.whole.text}
            </p>
            {read.data.whole.text.includes('\ufffd') && (
              <p className="text-xs text-ink-3">
                {t('� stands for octets that are no character. Open their part to see them.')}
              </p>
            )}
          </>
        )}
      </div>
    )
  return (
    <div className="space-y-1.5">
      <div className="flex min-h-7 items-center justify-between gap-4">
        <span className="text-ink-3">{t('Text')}</span>
        <span className="flex items-center gap-3">
          <span aria-label={t('masked')} role="img" className="tracking-widest text-ink-3">
            ••••••••••
          </span>
          {mayRead && !isAsking && (
            <Button size="sm" icon={Eye} onClick={() => setAsking(true)}>
              {t('Show')}
            </Button>
          )}
        </span>
      </div>
      {isAsking && (
        <div className="flex flex-wrap items-center justify-end gap-2 rounded-md border border-line bg-surface-2 px-3 py-2">
          <span className="me-auto text-ink-2">{t('Showing it leaves an audit entry with your name.')}</span>
          <Button size="sm" tone="ghost" onClick={() => setAsking(false)}>
            {t('Keep masked')}
          </Button>
          <Button
            size="sm"
            isBusy={read.isPending}
            busyLabel={t('Reading...')}
            onClick={() => read.mutate({ params: { id } })}
          >
            {t('Show text')}
          </Button>
        </div>
      )}
      {read.error && (
        <p role="alert" className="text-xs text-bad-ink">
          {t('The text could not be read.')} {messageOf(read.error)}
        </p>
      )}
    </div>
  )
}

/** The octets that the text was read from, and what says how. */
function RawOctets({ raw }: { raw: RawView }) {
  const text = raw.octets.slice(raw.header.length)
  return (
    <div className="space-y-1">
      <p className="flex items-center justify-between gap-4 text-ink-3">
        <span>{t('Octets')}</span>
        {raw.octets !== '' && <CopyButton value={raw.octets} what={t('Octets')} />}
      </p>
      <p className="max-h-40 overflow-y-auto rounded-md border border-line bg-surface-2 px-3 py-2 font-mono text-xs break-all">
        {raw.header !== '' && <span className="me-2 text-accent-ink">{spaced(raw.header)}</span>}
        {raw.octets === '' ? (
          <span className="text-ink-3">{t('The message has no octets.')}</span>
        ) : (
          <span>{spaced(text)}</span>
        )}
      </p>
      <p className="text-xs text-ink-3">
        {[
          ...(raw.header === '' ? [] : [t('The header (UDH) stands first')]),
          `data_coding ${hexOctet(raw.dataCoding)}`,
          `esm_class ${hexOctet(raw.esmClass)}`,
          ...(raw.dataCoding === 0 ? [`coding 0 is ${alphabetLabels[raw.defaultAlphabet]}`] : []),
        ].join(' · ')}
      </p>
    </div>
  )
}

const spaced = (hex: string) => hex.replace(/..(?=.)/g, '$& ')

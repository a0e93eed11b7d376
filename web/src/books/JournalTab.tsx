import { journalRoutes, type BookSetup } from '@tollgate/contract/books/journal.ts'
import { Download, Pencil } from 'lucide-react'
import { useState } from 'react'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { urlOf } from '../api/call.ts'
import { messageOf } from '../api/api-error.ts'
import { useSession } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatDay } from '../format/dates.ts'
import { CsvLink } from '../ui/ExportCsv.tsx'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Card, Pairs } from '../ui/Card.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Skeleton } from '../ui/States.tsx'
import { useUrlState } from '../url-state.ts'
import { accountNames } from './account-names.ts'
import { BookSetupDialog } from './BookSetupDialog.tsx'
import { SpanFields, useSpan } from './SpanFields.tsx'
import { booksSearch } from './search.ts'
import { t } from '../language/t.ts'

/** The ledger for an accountant's program: the export, and the numbers of its accounts there. */
export function JournalTab() {
  const setup = useApiQuery(journalRoutes.getBookSetup)
  if (setup.error && !setup.data)
    return <FetchFailure of={setup} title={t('Failed to fetch how the journal is exported')} />
  return (
    <div className="space-y-4">
      <ExportCard />
      <SetupCard setup={setup.data} />
    </div>
  )
}

function ExportCard() {
  const url = useUrlState(booksSearch)
  const { from, to } = useSpan(url)
  const check = useApiQuery(journalRoutes.checkJournal, { query: { from, to } })
  const isReady = check.data?.unmapped.length === 0
  return (
    <Card title={t('Export the journal')} aside={t('Every entry of the ledger, once')}>
      <div className="space-y-3">
        <div className="grid grid-cols-1 items-end gap-3 sm:grid-cols-[repeat(2,minmax(0,14rem))_max-content]">
          <SpanFields from={from} to={to} onChange={(changed) => url.set(changed)} />
          {isReady ? (
            <CsvLink
              href={urlOf(journalRoutes.exportJournal, { query: { from, to } })}
              className={buttonClass('primary')}
            >
              <Download size={16} strokeWidth={1.6} aria-hidden="true" />
              {t('Download')}
            </CsvLink>
          ) : (
            <Button tone="primary" icon={Download} isDisabled>
              {t('Download')}
            </Button>
          )}
        </div>
        {check.error && (
          <Notice tone="bad" title={t('These days cannot be exported')}>
            {messageOf(check.error)}
          </Notice>
        )}
        {check.data && check.data.unmapped.length > 0 && (
          <Notice tone="warn" title={t('Accounts without a number')}>
            {t('{accounts}. Give them the numbers that your accountant uses.', {
              accounts: check.data.unmapped.map((account) => accountNames[account]).join(', '),
            })}
          </Notice>
        )}
      </div>
    </Card>
  )
}

function SetupCard({ setup }: { readonly setup: BookSetup | undefined }) {
  const { may } = useSession()
  const [isEditing, setEditing] = useState(false)
  if (setup === undefined) return <Skeleton className="h-40 w-full" />
  const codes = new Map(setup.accounts.map(({ account, code }) => [account, code]))
  const unset = <span className="text-ink-3">{t('none yet')}</span>
  return (
    <Card
      title={t('Accounts')}
      aside={
        may('adminSettings') ? (
          <Button size="sm" icon={Pencil} onClick={() => setEditing(true)}>
            {t('Edit')}
          </Button>
        ) : (
          t('Admins edit the numbers.')
        )
      }
      {...(setup.updatedAt !== null && {
        foot: (
          <p className="text-ink-3">
            {t('Saved by {updatedBy} on {updatedAt}', {
              updatedBy: setup.updatedBy,
              updatedAt: formatDay(setup.updatedAt),
            })}
          </p>
        ),
      })}
    >
      <Pairs
        items={Object.entries(accountNames).map(([account, label]) => ({
          label,
          value: codes.get(account as keyof typeof accountNames) || unset,
        }))}
      />
      {isEditing && <BookSetupDialog setup={setup} onClose={() => setEditing(false)} />}
    </Card>
  )
}

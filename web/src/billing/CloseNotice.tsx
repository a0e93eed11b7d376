import { closeRoutes } from '@tollgate/contract/billing/close.ts'
import { useState } from 'react'
import { z } from 'zod'
import type { BillingSummary } from '@tollgate/contract/billing/bills.ts'
import { reasonSchema } from '@tollgate/contract/billing/debts.ts'
import { QueueFailure } from '../api/QueueFailure.tsx'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { useSession } from '../api/session.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatSentences } from '../format/sentences.ts'
import { moneyPaths, useSummary } from '../money/queries.ts'
import { Button } from '../ui/Button.tsx'
import { ReasonField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { zoneName } from '../language/reader.ts'
import { t } from '../language/t.ts'
import { counted } from '../format/counted.ts'

type CloseWait = NonNullable<BillingSummary['closeWait']>

const periodsText = (count: number) => counted(count, '1 period', '{count} periods')

/** Why periods that are due are not closed, and the word that lets them. Nothing when none waits. */
export function CloseNotice() {
  const summary = useSummary()
  const wait = summary.data?.closeWait
  const { may } = useSession()
  const [isDeciding, setDeciding] = useState(false)
  if (summary.error && !summary.data)
    return <QueueFailure of={summary} title={t('Failed to fetch the billing summary')} />
  if (wait == null) return null
  return (
    <Notice
      tone="bad"
      title={t('{cycleCount} cannot be closed', { cycleCount: periodsText(wait.cycleCount) })}
      isAlert
    >
      <p>
        {t('{explanation} Since {since} {zoneName}. Messages are taken and priced meanwhile.', {
          explanation: formatSentences(wait.words),
          since: formatDateTime(wait.since),
          zoneName: zoneName(),
        })}
      </p>
      {!wait.canGoOn && <p>{t('Set the clocks right; the close then goes on by itself.')}</p>}
      {wait.canGoOn && may('moneyAdjust') && (
        <div className="pt-2">
          <Button onClick={() => setDeciding(true)}>
            {t('Close {cycleCount}', { cycleCount: periodsText(wait.cycleCount) })}
          </Button>
        </div>
      )}
      {isDeciding && <AllowCloseDialog wait={wait} onClose={() => setDeciding(false)} />}
    </Notice>
  )
}

const formSchema = z.object({ reason: reasonSchema })

function AllowCloseDialog({ wait, onClose }: { readonly wait: CloseWait; readonly onClose: () => void }) {
  const form = useApiForm(formSchema, { reason: '' })
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Close {cycleCount}?', { cycleCount: periodsText(wait.cycleCount) })}
      description={formatSentences(wait.words)}
      width="md"
      consequence={t('A closed period is never opened again. Compare the time above with a clock you trust.')}
      form={form}
      route={closeRoutes.allowClose}
      refetch={moneyPaths}
      success={t('The periods are being closed')}
      callOf={({ reason }) => ({ body: { reason, cycleCount: wait.cycleCount } })}
      submitLabel={t('Close {cycleCount}', { cycleCount: periodsText(wait.cycleCount) })}
      tone="danger"
      failure={t('Not closed')}
    >
      <ReasonField {...fieldOf(form, 'reason')} />
    </SaveDialog>
  )
}

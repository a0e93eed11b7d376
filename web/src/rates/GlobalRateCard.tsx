import { ratesRoutes, type SettingEntry } from '@tollgate/contract/rates.ts'
import { rateInputSchema } from '@tollgate/contract/money.ts'
import { History } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { fieldOf, showFieldErrors, useApiForm } from '../api/use-api-form.ts'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatAge } from '../format/dates.ts'
import { formatRate } from '../format/money.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { NumberField, TextField } from '../ui/Field.tsx'
import { PageForm } from '../ui/PageForm.tsx'
import { useNow } from '../ui/use-now.ts'
import { ratePaths } from './queries.ts'
import { isLargeStep, LargeStep } from './LargeStep.tsx'
import { rateStartSchema } from './rate-start.ts'
import { ScheduledRateNote } from './ScheduledRateNote.tsx'
import { RateHistoryDialog } from './RateHistoryDialog.tsx'
import { t } from '../language/t.ts'

const formSchema = z.object({ settingValue: rateInputSchema, startsAt: rateStartSchema })
const empty = { settingValue: '', startsAt: '' }

/** Spec §2: the global rate and its update. Spec §5: saved only if greater than 0. */
export function GlobalRateCard({ setting }: { setting: SettingEntry }) {
  const [isHistoryOpen, setHistoryOpen] = useState(false)
  const now = useNow(60_000)
  const form = useApiForm(formSchema, empty)
  const next = String(form.watch('settingValue'))
  const [confirmed, setConfirmed] = useState('')
  const mustConfirm = isLargeStep(setting.settingValue, next) && confirmed !== next
  const save = useApiMutation(ratesRoutes.putSetting, {
    refetch: ratePaths,
    success: t('Global SMS rate updated successfully'),
    failure: t('Failed to update global SMS rate'),
    onSuccess: () => form.reset(empty),
  })
  const submit = form.handleSubmit((body) =>
    save.mutate(
      { params: { key: setting.settingKey }, body: { ...body, seenValue: setting.settingValue } },
      { onError: (error) => void showFieldErrors(form, error) },
    ),
  )
  return (
    <Card
      title={t('Global SMS Rate')}
      aside={
        <Button tone="ghost" size="sm" icon={History} onClick={() => setHistoryOpen(true)}>
          {t('History')}
        </Button>
      }
    >
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-4">
        <div>
          <p className="text-2xl font-semibold tracking-[-0.03em]">{formatRate(setting.settingValue)}</p>
          <p className="text-ink-3">
            {t('per SMS, for every client without a rate of its own{value}', {
              value:
                setting.updatedAt !== '' &&
                t(', set {updatedAt}', { updatedAt: formatAge(Date.parse(setting.updatedAt), now) }),
            })}
          </p>
        </div>
        <PageForm className="flex flex-wrap items-start gap-2" onSubmit={(event) => void submit(event)}>
          <NumberField
            label={t('New rate (USD per SMS)')}
            step="0.001"
            min="0"
            placeholder="0.050"
            {...fieldOf(form, 'settingValue')}
          />
          <TextField
            label={t('Starts (UTC, empty: now)')}
            type="datetime-local"
            {...fieldOf(form, 'startsAt')}
          />
          <Button
            tone="primary"
            type="submit"
            className="mt-5"
            isBusy={save.isPending}
            busyLabel={t('Saving...')}
            isDisabled={next === '' || mustConfirm}
          >
            {t('Update Rate')}
          </Button>
        </PageForm>
      </div>
      {setting.scheduled && (
        <div className="pt-3 text-ink-2">
          <ScheduledRateNote scheduled={setting.scheduled} />
        </div>
      )}
      {next !== '' && (
        <div className="pt-3 empty:hidden">
          <LargeStep
            present={setting.settingValue}
            next={next}
            isConfirmed={confirmed === next}
            onConfirm={(isConfirmed) => setConfirmed(isConfirmed ? next : '')}
          />
        </div>
      )}
      {isHistoryOpen && <GlobalHistory onClose={() => setHistoryOpen(false)} />}
    </Card>
  )
}

function GlobalHistory({ onClose }: { onClose: () => void }) {
  const history = useApiQuery(ratesRoutes.listGlobalRateHistory)
  return <RateHistoryDialog title={t('History of the global SMS rate')} history={history} onClose={onClose} />
}

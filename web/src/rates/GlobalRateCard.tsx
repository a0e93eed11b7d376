import { type SettingEntry, settingsRoutes } from '@tollgate/contract/settings/settings.ts'
import { ratesRoutes } from '@tollgate/contract/rates/rates.ts'
import { rateInputSchema } from '@tollgate/contract/money.ts'
import { History } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { fieldOf, isToldAtFields, showFieldErrors, useApiForm } from '../api/use-api-form.ts'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { formatAge } from '../format/dates.ts'
import { formatRate } from '../format/money.ts'
import { RateStartField, rateSaved } from '../money/RateStartField.tsx'
import { rateStartSchema } from '../money/rate-start.ts'
import { ScheduledRateNote } from '../money/ScheduledRateNote.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { NumberField } from '../ui/Field.tsx'
import { PageForm } from '../ui/PageForm.tsx'
import { useNow } from '../ui/use-now.ts'
import { ratePaths } from './queries.ts'
import { usePriceStep } from '../money/price-step.tsx'
import { RateStepNotice } from './RateStepNotice.tsx'
import { RateHistoryDialog } from './RateHistoryDialog.tsx'
import { t } from '../language/t.ts'

const formSchema = z.object({ settingValue: rateInputSchema, startsAt: rateStartSchema })
const empty = { settingValue: '', startsAt: '' }

const failure = t('Failed to update global SMS rate')

/** Its height with its form, so that nothing below it moves when that is there. */
export const globalRateHeight = 'min-h-35 max-sm:min-h-94'

/** Spec §2: the global rate and its update. Spec §5: saved only if greater than 0. */
export function GlobalRateCard({ setting }: { setting: SettingEntry }) {
  const [isHistoryOpen, setHistoryOpen] = useState(false)
  const now = useNow(60_000)
  const form = useApiForm(formSchema, empty)
  const next = String(form.watch('settingValue'))
  const startsAt = form.watch('startsAt')
  const step = usePriceStep(setting.settingValue, next)
  const save = useApiMutation(settingsRoutes.putSetting, {
    refetch: ratePaths,
    success: rateSaved(startsAt, t('Global SMS rate updated successfully')),
    failure,
    isShownInPlace: true,
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
      className={globalRateHeight}
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
            {setting.updatedAt === ''
              ? t('per SMS, for every client without a rate of its own')
              : t('per SMS, for every client without a rate of its own, set {age}', {
                  age: formatAge(Date.parse(setting.updatedAt), now),
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
          <RateStartField form={form} />
          <Button
            tone="primary"
            type="submit"
            className="mt-5"
            isBusy={save.isPending}
            busyLabel={t('Saving...')}
            isDisabled={next === '' || step.mustConfirm}
          >
            {t('Update Rate')}
          </Button>
        </PageForm>
      </div>
      <div className="pt-3 empty:hidden">
        <SaveFailure
          error={save.error}
          title={failure}
          isAtFields={isToldAtFields(form, save.error)}
          onTakeSaved={() => {
            form.reset(empty)
            save.reset()
          }}
        />
      </div>
      {setting.scheduled && (
        <div className="pt-3 text-ink-2">
          <ScheduledRateNote
            scheduled={setting.scheduled}
            format={formatRate}
            route={ratesRoutes.cancelScheduledGlobalRate}
            call={{}}
            refetch={ratePaths}
          />
        </div>
      )}
      {next !== '' && (
        <div className="pt-3 empty:hidden">
          <RateStepNotice step={step} next={next} />
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

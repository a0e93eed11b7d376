import { endpointsRoutes } from '@tollgate/contract/endpoints/endpoints.ts'
import {
  alertRuleBody,
  alertKindNames,
  alertRoutes,
  alertSeverities,
  type AlertRule,
} from '@tollgate/contract/alerts/alerts.ts'
import { useState } from 'react'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { useApiQuery } from '../api/use-api.ts'
import { Checkbox } from '../ui/Checkbox.tsx'
import { NumberField, SelectField, TextField } from '../ui/Field.tsx'
import { rulePaths } from './queries.ts'
import { FittingCount, ScopeFields } from './ScopeFields.tsx'
import { kindLabels, severityLooks } from './words.ts'
import { zoneName } from '../language/reader.ts'
import { t } from '../language/t.ts'

const severityOptions = alertSeverities.map((value) => ({
  value,
  label:
    value === 'notice'
      ? t('Everything, including what is waiting')
      : t('{label} or worse', { label: severityLooks[value].label }),
}))

function valuesOf(rule: AlertRule | undefined) {
  if (rule === undefined)
    return {
      name: '',
      kinds: [],
      minSeverity: 'warning' as const,
      threshold: 1,
      scope: null,
      forMinutes: 5,
      repeatMinutes: 0,
      inConsole: true,
      mailTo: [],
      endpointId: null,
      quietFrom: '',
      quietTo: '',
      timeZone: zoneName(),
      isOn: true,
    }
  const {
    id: _,
    endpointName: _name,
    scopeName: _scope,
    version: _version,
    openCount: _count,
    ...fields
  } = rule
  return fields
}

const mailsOf = (rule: AlertRule | undefined) => (rule?.mailTo ?? []).join(', ')

interface RuleDialogProps {
  /** As it was when the dialog opened. Undefined when a rule is added. */
  readonly opened: AlertRule | undefined
  /** The rule in the current list. */
  readonly latest: AlertRule | undefined
  readonly onClose: () => void
}

/** Adds a rule, or changes one. */
export function RuleDialog({ opened, latest, onClose }: RuleDialogProps) {
  // What the form was filled with: its version is sent, not the one of somebody else's save.
  const [rule, setRule] = useState(opened)
  const form = useApiForm(alertRuleBody, valuesOf(rule))
  const [mails, setMails] = useState(mailsOf(rule))
  const endpoints = useApiQuery(endpointsRoutes.listEndpoints)
  const endpointOptions = [
    { value: '', label: t('None') },
    ...(endpoints.data ?? [])
      .filter(({ userId }) => userId === null)
      .map(({ id, name }) => ({ value: id, label: name })),
  ]
  const { errors } = form.formState
  const frame = {
    onClose,
    title: rule ? t('Edit {name}', { name: rule.name }) : t('Add Rule'),
    description: t('People are notified once when it begins, and once when it is resolved.'),
    width: 'md' as const,
    form,
    refetch: rulePaths,
    failure: rule ? t('Failed to save the rule') : t('Failed to add the rule'),
    submitLabel: rule ? t('Save') : t('Add Rule'),
    success: rule ? t('Rule saved') : t('Rule added'),
  }
  const fields = (
    <>
      <TextField label={t('Name')} {...fieldOf(form, 'name')} />
      <fieldset>
        <legend className="pb-1 text-xs font-medium text-ink-2">
          {t('Kinds; none chosen means every kind')}
        </legend>
        <div className="grid gap-x-5 sm:grid-cols-3">
          {alertKindNames.map((kind) => (
            <Checkbox key={kind} label={kindLabels[kind]} value={kind} {...form.register('kinds')} />
          ))}
        </div>
      </fieldset>
      <ScopeFields form={form} />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label={t('Severity')} options={severityOptions} {...form.register('minSeverity')} />
        <NumberField
          label={t('At least')}
          hint={t('Of what is counted, such as refused in 24 h or waiting')}
          min="1"
          {...fieldOf(form, 'threshold')}
        />
        <NumberField
          label={t('For')}
          hint={t('Minutes that it must have lasted')}
          min="0"
          {...fieldOf(form, 'forMinutes')}
        />
        <NumberField
          label={t('Repeat After')}
          hint={t('Minutes, until somebody acknowledges it; 0 for never')}
          min="0"
          {...fieldOf(form, 'repeatMinutes')}
        />
      </div>
      <FittingCount form={form} />
      <fieldset className="space-y-3">
        <legend className="pb-1 text-xs font-medium text-ink-2">{t('Who is notified')}</legend>
        <Checkbox
          label={t('Notifications in the console of everybody who may see it')}
          {...form.register('inConsole')}
        />
        {errors.inConsole && (
          <p role="alert" className="text-xs text-bad-ink">
            {errors.inConsole.message}
          </p>
        )}
        <TextField
          label={t('Mail To')}
          hint={t('Addresses, separated by commas')}
          value={mails}
          error={errors.mailTo === undefined ? undefined : t('Enter email addresses, separated by commas')}
          onChange={(event) => {
            setMails(event.target.value)
            const addresses = event.target.value.split(/[\s,;]+/).filter((address) => address !== '')
            form.setValue('mailTo', addresses, {
              shouldDirty: true,
              shouldValidate: form.formState.isSubmitted,
            })
          }}
        />
        <SelectField
          label={t('Webhook')}
          hint={
            endpoints.error
              ? t('The endpoints could not be fetched')
              : t('An endpoint of the staff; it is signed')
          }
          options={endpointOptions}
          value={form.watch('endpointId') ?? ''}
          error={errors.endpointId?.message}
          onChange={(event) =>
            form.setValue('endpointId', event.target.value === '' ? null : event.target.value, {
              shouldDirty: true,
            })
          }
        />
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label={t('Quiet From')}
          placeholder="22:00"
          maxLength={5}
          {...fieldOf(form, 'quietFrom')}
        />
        <TextField label={t('Quiet To')} placeholder="07:00" maxLength={5} {...fieldOf(form, 'quietTo')} />
        <TextField label={t('Time Zone')} {...fieldOf(form, 'timeZone')} />
      </div>
      <p className="text-xs text-ink-3">
        {t(
          'During quiet hours alerts appear only in the console. What is still open at their end is mailed and sent then.',
        )}
      </p>
      <Checkbox label={t('On')} {...form.register('isOn')} />
    </>
  )
  return rule === undefined ? (
    <SaveDialog {...frame} route={alertRoutes.createAlertRule} callOf={(body) => ({ body })}>
      {fields}
    </SaveDialog>
  ) : (
    <SaveDialog
      {...frame}
      route={alertRoutes.updateAlertRule}
      callOf={(body) => ({ params: { id: rule.id }, body: { ...body, version: rule.version } })}
      saved={latest && valuesOf(latest)}
      onTakeSaved={() => {
        setRule(latest)
        setMails(mailsOf(latest))
      }}
    >
      {fields}
    </SaveDialog>
  )
}

// TLS of a connection in its form, and the CA of its own on its page.
import type { Connection } from '@tollgate/contract/connections/connections.ts'
import { fieldOf } from '../api/use-api-form.ts'
import { formatDay } from '../format/dates.ts'
import { Switch } from '../ui/Checkbox.tsx'
import { TextAreaField, TextField } from '../ui/Field.tsx'
import { StatusIcon } from '../ui/StatusIcon.tsx'
import type { ConnectionForm } from './connection-form.ts'
import { t } from '../language/t.ts'

/** Whether it connects over TLS; only then whom it trusts. */
export function TlsFields({ form }: { readonly form: ConnectionForm }) {
  const forget = () => {
    form.resetField('tlsCa')
    form.resetField('tlsName')
  }
  const isOn = form.watch('useTls') === true
  return (
    <>
      <Switch
        label={t('Connect over TLS')}
        // What is hidden cannot be corrected.
        {...form.register('useTls', { onChange: forget })}
      />
      {isOn && (
        <div className="w-full space-y-4">
          <TextAreaField
            label={t('Own CA (PEM)')}
            hint={t('Only what it signed is trusted. Empty: the public authorities')}
            isMono
            rows={3}
            spellCheck={false}
            autoComplete="off"
            placeholder="-----BEGIN CERTIFICATE-----"
            {...fieldOf(form, 'tlsCa')}
          />
          <TextField
            label={t('Expected name')}
            hint={t('The name or address that the gateway’s certificate is for. Empty: the host')}
            autoCapitalize="none"
            placeholder={t('smsc.example.com')}
            {...fieldOf(form, 'tlsName')}
          />
        </div>
      )}
    </>
  )
}

/** What a connection trusts over TLS, for its page; nothing when that is what all trust. */
export function trustFacts({ tlsName, tlsCertificates }: Connection) {
  const ca = {
    label: t('Own CA'),
    value: (
      <ul className="space-y-1">
        {tlsCertificates.map(({ subject, fingerprint, validTo, isExpired }) => (
          <li key={fingerprint} title={fingerprint} className="break-words">
            <bdi>{subject}</bdi>{' '}
            {isExpired ? (
              <span className="whitespace-nowrap text-bad-ink">
                <StatusIcon shape="x" tone="bad" className="me-1 inline" />
                {t('expired on {day}', { day: formatDay(validTo) })}
              </span>
            ) : (
              <span className="whitespace-nowrap text-ink-3">
                {t('until {day}', { day: formatDay(validTo) })}
              </span>
            )}
          </li>
        ))}
      </ul>
    ),
  }
  return [
    ...(tlsCertificates.length > 0 ? [ca] : []),
    ...(tlsName === null ? [] : [{ label: t('Expected name'), value: <bdi>{tlsName}</bdi> }]),
  ]
}

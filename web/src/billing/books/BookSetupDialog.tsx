import { journalRoutes, type BookSetup } from '@tollgate/contract/books/journal.ts'
import { ledgerAccounts, type LedgerAccount } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'
import { SaveDialog } from '../../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../../api/use-api-form.ts'
import { SelectField, TextField } from '../../ui/Field.tsx'
import { accountNames } from './account-names.ts'
import { t } from '../../language/t.ts'
import { monthName } from '../../format/months.ts'

const codeText = z
  .string()
  .trim()
  .regex(/^[0-9A-Za-z./-]{0,20}$/, t('Enter up to 20 letters, digits, dots, slashes or dashes'))
const numberText = z
  .string()
  .trim()
  .regex(/^\d{0,7}$/, t('Enter a whole number'))

const formSchema = z.object({
  currency: z
    .string()
    .trim()
    .regex(/^(USDT|[A-Z]{3})$/, t('Enter USDT or three capitals such as EUR')),
  fiscalMonth: z.string(),
  datevConsultant: numberText,
  datevClient: numberText,
  datevDigits: z.string(),
  xeroTaxRate: z.string().trim().min(1, t('Enter the name of the tax rate')).max(50),
  codes: z.object(
    Object.fromEntries(ledgerAccounts.map((account) => [account, codeText])) as Record<
      LedgerAccount,
      typeof codeText
    >,
  ),
})

const months = Array.from({ length: 12 }, (_, index) => ({
  value: String(index + 1),
  label: monthName(index),
}))
const digits = [4, 5, 6, 7, 8].map((count) => ({
  value: String(count),
  label: t('{count} digits', { count }),
}))

interface BookSetupDialogProps {
  readonly setup: BookSetup
  readonly onClose: () => void
}

/** The numbers of the ledger's accounts in the accountant's program, and what DATEV and Xero need. */
export function BookSetupDialog({ setup, onClose }: BookSetupDialogProps) {
  const form = useApiForm(formSchema, {
    currency: setup.currency,
    fiscalMonth: String(setup.fiscalMonth),
    datevConsultant: String(setup.datevConsultant ?? ''),
    datevClient: String(setup.datevClient ?? ''),
    datevDigits: String(setup.datevDigits),
    xeroTaxRate: setup.xeroTaxRate,
    codes: Object.fromEntries(setup.accounts.map(({ account, code }) => [account, code])) as Record<
      LedgerAccount,
      string
    >,
  })
  return (
    <SaveDialog
      form={form}
      route={journalRoutes.putBookSetup}
      title={t('Accounts')}
      description={t("The numbers that your accountant's program gives to the accounts of the ledger")}
      width="md"
      refetch={['/api/books']}
      success={t('The accounts have been saved.')}
      failure={t('The accounts were not saved')}
      submitLabel={t('Save')}
      onClose={onClose}
      callOf={({ codes, datevConsultant, datevClient, ...rest }) => ({
        body: {
          ...rest,
          datevConsultant: datevConsultant === '' ? null : datevConsultant,
          datevClient: datevClient === '' ? null : datevClient,
          accounts: ledgerAccounts.map((account) => ({ account, code: codes[account] })),
        },
      })}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        {ledgerAccounts.map((account) => (
          <TextField key={account} label={accountNames[account]} {...fieldOf(form, `codes.${account}`)} />
        ))}
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label={t('Currency of the books')}
          hint={t('USDT, or three capitals such as EUR')}
          {...fieldOf(form, 'currency')}
        />
        <SelectField label={t('Fiscal year begins in')} options={months} {...fieldOf(form, 'fiscalMonth')} />
        <TextField label={t('DATEV consultant')} inputMode="numeric" {...fieldOf(form, 'datevConsultant')} />
        <TextField label={t('DATEV client')} inputMode="numeric" {...fieldOf(form, 'datevClient')} />
        <SelectField label={t('DATEV account numbers')} options={digits} {...fieldOf(form, 'datevDigits')} />
        <TextField label={t('Xero tax rate')} {...fieldOf(form, 'xeroTaxRate')} />
      </div>
    </SaveDialog>
  )
}

import { journalRoutes, type BookSetup } from '@tollgate/contract/books/journal.ts'
import { ledgerAccounts, type LedgerAccount } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { TextField } from '../ui/Field.tsx'
import { accountNames } from './account-names.ts'
import { t } from '../language/t.ts'

const codeText = z
  .string()
  .trim()
  .regex(/^[0-9A-Za-z./-]{0,20}$/, t('Enter up to 20 letters, digits, dots, slashes or dashes'))

const formSchema = z.object({
  codes: z.object(
    Object.fromEntries(ledgerAccounts.map((account) => [account, codeText])) as Record<
      LedgerAccount,
      typeof codeText
    >,
  ),
})

interface BookSetupDialogProps {
  readonly setup: BookSetup
  readonly onClose: () => void
}

/** The numbers of the ledger's accounts in the accountant's program. */
export function BookSetupDialog({ setup, onClose }: BookSetupDialogProps) {
  const form = useApiForm(formSchema, {
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
      callOf={({ codes }) => ({
        body: { accounts: ledgerAccounts.map((account) => ({ account, code: codes[account] })) },
      })}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        {ledgerAccounts.map((account) => (
          <TextField key={account} label={accountNames[account]} {...fieldOf(form, `codes.${account}`)} />
        ))}
      </div>
    </SaveDialog>
  )
}

import type { editUserSchema, registerSchema } from '@tollgate/contract/users/users.ts'
import type { ReactNode } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { Switch } from '../ui/Checkbox.tsx'
import { NumberField, SelectField, TextField } from '../ui/Field.tsx'
import { fieldOf } from '../api/use-api-form.ts'
import { roleWord } from './role-word.ts'
import { t } from '../language/t.ts'

/** The fields that Add User and Edit User share. */
type PersonInput = Pick<
  z.input<typeof registerSchema> & z.input<typeof editUserSchema>,
  'username' | 'email' | 'firstName' | 'lastName' | 'role' | 'smppAccess' | 'maxConnections'
>

/** Spec §5: the roles these forms offer. */
export const offeredRoles = ['admin', 'support', 'user'] as const

// A form is where somebody new meets the roles, so it says which of the business they are.
const roleOptions: Record<(typeof offeredRoles)[number], string> = {
  admin: roleWord('admin'),
  support: roleWord('support'),
  user: t('user: a client or a supplier'),
}

export type PersonForm = Pick<UseFormReturn<PersonInput>, 'register' | 'formState'>

interface UserFieldsProps {
  readonly form: PersonForm
  /** Spec §5: only admins see the Role field. */
  readonly hasRole: boolean
  /** Shown after the email address. */
  readonly children?: ReactNode
}

export function UserFields({ form, hasRole, children }: UserFieldsProps) {
  return (
    <>
      <TextField label={t('First Name')} {...fieldOf(form, 'firstName')} />
      <TextField label={t('Last Name')} {...fieldOf(form, 'lastName')} />
      <TextField
        label={t('Username')}
        autoComplete="off"
        autoCapitalize="none"
        {...fieldOf(form, 'username')}
      />
      <TextField label={t('Email')} type="email" autoComplete="off" {...fieldOf(form, 'email')} />
      {children}
      {hasRole && (
        <SelectField
          label={t('Role')}
          options={offeredRoles.map((role) => ({ value: role, label: roleOptions[role] }))}
          {...fieldOf(form, 'role')}
        />
      )}
      <NumberField
        label={t('Max Connections')}
        hint={t('1 to 100')}
        min="1"
        max="100"
        step="1"
        {...fieldOf(form, 'maxConnections')}
      />
      <div className="self-end pb-1.5">
        <Switch label={t('SMPP Access')} {...form.register('smppAccess')} />
      </div>
    </>
  )
}

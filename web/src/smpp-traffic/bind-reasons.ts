// Why binds of a supplier were refused, and what it can do about it.
import type { BindRefusalReason } from '@tollgate/contract/vocabulary.ts'
import type { ReasonWords } from '../records/refusal-words.ts'
import { t } from '../language/t.ts'

export const bindReasons: Readonly<Record<BindRefusalReason, ReasonWords>> = {
  wrong_credentials: {
    what: t('The password was wrong'),
    fix: t('Enter the password of your SMPP credentials. If this was not you, tell support the address.'),
  },
  account_not_active: {
    what: t('The account is not active'),
    fix: t('Ask support why.'),
  },
  no_access: {
    what: t('The account has no SMPP access'),
    fix: t('Ask support for SMPP access.'),
  },
  address_not_allowed: {
    what: t('The address is not among the networks of the account'),
    fix: t('Bind from an allowed network, or ask support to add this one.'),
  },
  tls_required: {
    what: t('The account binds over TLS alone'),
    fix: t('Use the TLS port.'),
  },
  too_many_binds: {
    what: t('The account has as many binds as it may have'),
    fix: t('Close a bind that is not used, or ask support for more.'),
  },
  unavailable: {
    what: t('The gateway could not check the bind'),
    fix: t('Bind again in a few seconds.'),
  },
  crowded: {
    what: t('Too many binds of this address waited at once'),
    fix: t('Wait a minute, and leave more time between attempts.'),
  },
}

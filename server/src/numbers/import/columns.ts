/** Spec §7: the header of an import file, in this order and no other. */
export const importHeader = ['Number', 'Description', 'Rate', 'Status', 'Country', 'Country Code'] as const

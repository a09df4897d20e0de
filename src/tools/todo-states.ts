/** How far an item of a list can be. */
export const todoStates = ['pending', 'in_progress', 'completed', 'cancelled'] as const;

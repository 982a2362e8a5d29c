/* One store, which each test finds as new: the setup of a cmocka_unit_test_setup. */
#ifndef WEIR_ONE_DESK_H
#define WEIR_ONE_DESK_H

#include "store_faults.h"

static struct store_desk desk;

static inline int reset(void **state)
{
    (void)state;
    desk = (struct store_desk){.run = {.id = 5}};
    return 0;
}

#endif
